import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOOK_EVENTS } from '../claude-hook/hook-event.js';
import { withHooks, withoutHooks } from './claude-settings.js';

const COMMAND = '/usr/bin/node /opt/hermes-observer.js hook claude-code';

/** Settings as Claude Code writes them, and as people do. */
const json = fc.record(
  {
    model: fc.constantFrom('opus', 'a "quoted", {name}]'),
    permissions: fc.constantFrom({ allow: ['Bash(ls:*)', 'Read'] }, {}, { deny: [] }),
    hooks: fc.dictionary(
      fc.constantFrom('Stop', 'PreToolUse', 'Notification'),
      fc.array(
        fc.constantFrom(
          { hooks: [{ type: 'command', command: './mine.sh' }] },
          { matcher: 'Bash', hooks: [{ type: 'command', command: 'other hook claude-code' }, { type: 'prompt' }] },
          { matcher: '*' },
        ),
        { maxLength: 2 },
      ),
    ),
    env: fc.constant({ A: '1', 'key:,[': '\\"' }),
  },
  { requiredKeys: [] },
);
const text = fc
  .tuple(
    json,
    fc.constantFrom<string | number | undefined>(2, 4, '\t', 1, undefined),
    fc.constantFrom('', '\n'),
    fc.boolean(),
  )
  .map(([value, indent, end, isCarriage]) => {
    const written = JSON.stringify(value, undefined, indent) + end;
    return isCarriage ? written.replaceAll('\n', '\r\n') : written;
  });

const commandsIn = (settings: string) => settings.split(COMMAND).length - 1;

describe('hooks in the settings of Claude Code', () => {
  it('go in and out without another byte', () => {
    fc.assert(
      fc.property(text, (before) => {
        const installed = withHooks(before, COMMAND);
        JSON.parse(installed);
        expect(commandsIn(installed)).toBe(HOOK_EVENTS.length);
        expect(withHooks(installed, COMMAND)).toBe(installed);
        expect(withoutHooks(installed, before)).toBe(before);
        // All that was there is there still, in order.
        let at = 0;
        for (const character of installed) if (character === before[at]) at++;
        expect(at).toBe(before.length);
      }),
      { numRuns: 200 },
    );
  });

  it('go out of what a user made of it meanwhile', () => {
    const own = '"own": {"x":   [1,2,  3]}';
    fc.assert(
      fc.property(text, fc.boolean(), (before, isEmptied) => {
        const edited = (given: string) =>
          given.replace(/^\{/, Object.keys(JSON.parse(given)).length === 0 ? `{ ${own} ` : `{ ${own},`);
        const installed = edited(withHooks(before, COMMAND));
        const result = withoutHooks(installed, isEmptied ? undefined : before);
        expect(result).toContain(own);
        expect(commandsIn(result)).toBe(0);
        if (!isEmptied) expect(JSON.parse(result)).toEqual(JSON.parse(edited(before)));
        if (!isEmptied && before.length > 4) expect(result).toBe(edited(before));
      }),
      { numRuns: 200 },
    );
  });

  it('have a guard for calls and their results, which goes in and out like the others', () => {
    const guard = `${COMMAND} --policy`;
    fc.assert(
      fc.property(text, (before) => {
        const installed = withHooks(before, COMMAND, guard);
        const entries = Object.entries(JSON.parse(installed).hooks as Record<string, { hooks?: object[] }[]>);
        const ours = entries.flatMap(([event, list]) =>
          list.flatMap(({ hooks = [] }) => hooks.map((hook) => ({ event, ...hook }) as Record<string, unknown>)),
        );
        const guards = ours.filter(({ command }) => command === guard);
        expect(guards.sort((a, b) => (String(a.event) > String(b.event) ? -1 : 1))).toEqual([
          { event: 'PreToolUse', type: 'command', command: guard, timeout: 600, onFailure: 'block' },
          { event: 'PostToolUse', type: 'command', command: guard, timeout: 600 },
        ]);
        expect(withHooks(installed, COMMAND, guard)).toBe(installed);
        expect(withoutHooks(installed, before)).toBe(before);
        // Switched on and off where they are.
        expect(JSON.parse(withHooks(withHooks(before, COMMAND), COMMAND, guard))).toEqual(JSON.parse(installed));
        expect(JSON.parse(withHooks(installed, COMMAND))).toEqual(JSON.parse(withHooks(before, COMMAND)));
      }),
      { numRuns: 100 },
    );
  });

  it('take the style of the file', () => {
    expect(withHooks('{\n\t"a": ["x", "y"]\n}', COMMAND)).toMatch(
      /^\{\n\t"a": \["x", "y"\],\n\t"hooks": \{\n\t\t"SessionStart": \[\n\t\t\t\{\n\t\t\t\t"hooks": \[\n\t\t\t\t\t\{\n/,
    );
    expect(withHooks('{"a":1}', COMMAND)).toMatch(/^\{"a":1, "hooks":\{"SessionStart":\[\{"hooks":\[\{"type"/);
  });

  it('go out of an entry that somebody added to, and out of one event alone', () => {
    const entry = (...commands: string[]) => ({ hooks: commands.map((command) => ({ command })) });
    const settings = (hooks: object) => JSON.stringify({ hooks, z: 1 }, undefined, 1);
    expect(withoutHooks(settings({ Stop: [entry(COMMAND, 'mine')], PreToolUse: [entry(COMMAND)] }))).toBe(
      settings({ Stop: [entry('mine')] }),
    );
    expect(withoutHooks(settings({ Stop: [entry(COMMAND)] }), '{"hooks":{"Stop":[]}}')).toBe(settings({ Stop: [] }));
  });

  it('are replaced where they are, and those of events that are no more go', () => {
    const installed = withHooks('{"a":1}', `${COMMAND} --capture full`);
    const older = installed.replace('"SubagentStop":', '"Gone":');
    const newer = withHooks(older, COMMAND);
    expect(newer).not.toContain('--capture');
    expect(Object.keys(JSON.parse(newer).hooks).sort()).toEqual([...HOOK_EVENTS].sort());
  });
});
