import { ObserverError } from '@hermes-observer/core';
import { describe, expect, it } from 'vitest';
import { compileRegExp } from './bounded-regexp.js';
import { compileMatcher } from './compile-matcher.js';
import type { PolicyHook } from './hook.js';
import { HookTable } from './hook-table.js';
import type { Matcher } from './matcher.js';
import { readAnswer } from './read-answer.js';

const hook = (fields: Partial<PolicyHook> & Record<string, unknown> = {}): PolicyHook => ({
  name: 'guard',
  event: 'PreToolUse',
  execute: () => undefined,
  ...fields,
});

const configErrorOf = (make: () => unknown): string => {
  try {
    make();
  } catch (error) {
    expect(ObserverError.isInstance(error) && error.code).toBe('HO_POLICY_CONFIG');
    return (error as Error).message;
  }
  throw new Error('nothing was wrong');
};

describe('a hook that makes no sense stops the start, and says what is meant', () => {
  it.each<[Record<string, unknown>, RegExp]>([
    [{ prioritty: 1 }, /hook `guard` has no field `prioritty`. Did you mean `priority`\?/],
    [{ exempt_roles: [] }, /Did you mean `exemptRoles`\?/],
    [{ event: 'PreTooluse' }, /Did you mean `PreToolUse`\?/],
    [{ event: 'before' }, /It is one of: SessionStart, PreToolUse, PostToolUse\./],
    [{ mode: 'observed' }, /Did you mean `observe`\?/],
    [{ onError: 'deny' }, /It is one of: block, allow\./],
    [{ timeoutMs: '30s' }, /`timeoutMs` of hook `guard` must be a number of milliseconds, got "30s"/],
    [{ timeoutMs: -1 }, /timeoutMs/],
    [{ priority: Number.NaN }, /priority/],
    [{ execute: undefined }, /needs a function `execute`/],
    [{ execute: 'rm' }, /needs a function `execute`/],
    [{ name: '' }, /Hook 1 needs a `name`/],
    [{ modifies: true, event: 'PostToolUse' }, /`modifies` of hook `guard` is for PreToolUse alone/],
    [{ matcher: { tools: 'x' } }, /The matcher of hook `guard` has no field `tools`. Did you mean `tool`\?/],
    [{ matcher: { tool: 'a{b' } }, /`tool`: a pattern has a `{` without its `}`/],
    [{ matcher: { tool: [] } }, /would match nothing/],
    [{ matcher: { args: { 'a..b': 1 } } }, /no path into arguments/],
    [{ matcher: { args: { a: { above: '5' } } } }, /`above` must be a number/],
    [{ matcher: { args: { a: { abov: 5 } } } }, /no field `abov`. Did you mean `above`\?/],
    [{ matcher: { args: { a: {} } } }, /tests nothing/],
    [{ matcher: { agent: 7 } }, /`agent`, must be a name/],
    [{ event: 'SessionStart', matcher: { tool: 'x' } }, /SessionStart has none/],
    [{ exemptRoles: 'researcher' }, /must be a list of names/],
  ])('%j', (fields, message) => {
    expect(configErrorOf(() => new HookTable([hook(fields)]))).toMatch(message);
  });

  it('a name twice for one event', () => {
    expect(configErrorOf(() => new HookTable([hook(), hook()]))).toBe('Two hooks for PreToolUse are named `guard`.');
    expect(new HookTable([hook(), hook({ event: 'PostToolUse' })]).all).toHaveLength(2);
  });

  it('a class may have fields of its own, but none that looks like one of ours', () => {
    class Guard implements PolicyHook {
      readonly name = 'guard';
      readonly event = 'PreToolUse';
      readonly limit = 5;
      execute() {
        return this.limit > 1 ? { allow: false, error: 'no' } : undefined;
      }
    }
    class Slip extends Guard {
      readonly prioity = 1;
    }
    class SlipOfMethod extends Guard {
      shouldTriger() {
        return true;
      }
    }
    expect(new HookTable([new Guard()]).all[0]?.execute({} as never)).toEqual({ allow: false, error: 'no' });
    expect(configErrorOf(() => new HookTable([new Slip()]))).toContain('Did you mean `priority`?');
    expect(configErrorOf(() => new HookTable([new SlipOfMethod()]))).toContain('Did you mean `shouldTrigger`?');
  });
});

describe('HookTable', () => {
  it('runs lower priorities first, ties as they were registered, and knows what it was given', () => {
    const late = hook({ name: 'late', priority: 51 });
    const table = new HookTable([
      late,
      hook({ name: 'a' }),
      hook({ name: 'first', priority: -1 }),
      hook({ name: 'b' }),
    ]);
    (late as { priority: number }).priority = -5;
    (late as { execute: unknown }).execute = () => ({ allow: false });
    expect(table.candidates('PreToolUse', 'x').map((candidate) => candidate.hook.name)).toEqual([
      'first',
      'a',
      'b',
      'late',
    ]);
    expect(table.all.at(-1)?.execute({} as never)).toBeUndefined();
  });

  it('asks a pattern once for a tool', () => {
    const table = new HookTable([hook({ matcher: { tool: ['pay*', /send_\w+/] } })]);
    const names = ['pay', 'send_mail', 'send_mail!', 'prepay', 'xsend_mail'];
    expect(names.filter((name) => table.candidates('PreToolUse', name).length > 0)).toEqual(['pay', 'send_mail']);
    expect(table.candidates('PreToolUse', 'pay')).toBe(table.candidates('PreToolUse', 'pay'));
  });
});

describe('compileMatcher', () => {
  const testArgs = (args: Matcher['args'], given: Record<string, unknown>) =>
    compileMatcher({ args }, 'hook').args?.(given);

  it.each<[Matcher['args'], Record<string, unknown>, boolean]>([
    [{ amount: { above: 100 } }, { amount: 101 }, true],
    [{ amount: { above: 100 } }, { amount: 100 }, false],
    [{ amount: { above: 100 } }, { amount: '1e3' }, true],
    [{ amount: { above: 100 } }, {}, false],
    [{ amount: { above: 100 } }, { amount: null }, false],
    [{ amount: { above: 100, below: 200 } }, { amount: 150 }, true],
    [{ 'items[*].path': { glob: '/etc/*' } }, { items: [{ path: '/a' }, { path: '/etc/passwd' }] }, true],
    [{ command: { matches: /rm\s+-rf/ } }, { command: 'sudo rm  -rf /' }, true],
    [{ to: { oneOf: ['a', { b: [1] }] } }, { to: { b: [1] } }, true],
    [{ to: { equals: null } }, { to: null }, true],
    [{ to: null }, {}, false],
    [{ dry: { exists: false } }, {}, true],
    [{ dry: { exists: false } }, { dry: undefined }, false],
    [{ force: true, path: 'x' }, { force: true, path: 'x' }, true],
    [{ force: true }, { force: 'true' }, false],
    [{ 'constructor.name': 'Object' }, {}, false],
  ])('%j of %j: %s', (test, args, expected) => expect(testArgs(test, args)).toBe(expected));

  it.each<[Matcher['args'], Record<string, unknown>]>([
    [{ amount: { above: 100 } }, { amount: '5,000' }],
    [{ amount: { above: 100 } }, { amount: [101] }],
    [{ amount: { above: 100 } }, { amount: Number.NaN }],
    [{ command: { glob: 'rm *' } }, { command: ['rm', '-rf'] }],
  ])('cannot tell, and says so instead of no: %j of %j', (test, args) => expect(() => testArgs(test, args)).toThrow());

  it('knows who calls; of whom the role is not known may have it', () => {
    const { caller } = compileMatcher({ agent: 'a', platform: ['cli', 'slack'], childRole: 'researcher' }, 'hook');
    const who = { agent: 'a', platform: 'cli', childRoles: ['writer', 'researcher'] };
    expect(caller?.(who)).toBe(true);
    expect(caller?.({ ...who, agent: 'b' })).toBe(false);
    expect(caller?.({ ...who, platform: '' })).toBe(false);
    expect(caller?.({ ...who, childRoles: [] })).toBe(false);
    expect(caller?.({ ...who, childRoles: [''] })).toBe(true);
    expect(caller?.({ ...who, childRoles: undefined })).toBe(true);
  });
});

describe('hostile patterns and a megabyte of text do not hang', () => {
  const text = `${'a'.repeat(1_000_000)}!`;
  it.each([/(a+)+$/, /(a|a)*$/, /(a|aa)+$/, /a*a*a*a*$/, /(.*)(.*)(.*)(.*)x/s, /\w*\w*\w*\d/, /([a-z]+)\1{2}\d/])(
    '%s',
    (pattern) => {
      for (const whole of [true, false]) {
        const test = compileRegExp(pattern, whole);
        for (const given of [text, `${'a'.repeat(40)}!`]) {
          const began = performance.now();
          try {
            test(given);
          } catch (error) {
            expect(error).toBeInstanceOf(RangeError);
          }
          expect(performance.now() - began).toBeLessThan(1500);
        }
      }
    },
  );

  it('many values at one path are looked at for a quarter of a second, and then it is an error', () => {
    const test = compileMatcher({ args: { 'list[*]': { matches: /(a+)+$/ } } }, 'hook').args;
    const began = performance.now();
    expect(() => test?.({ list: Array.from({ length: 5000 }, () => `${'a'.repeat(60)}!`) })).toThrow(RangeError);
    expect(performance.now() - began).toBeLessThan(1500);
  });

  it('matches a whole name, whatever the flags say', () => {
    expect(compileRegExp(/^read$/m, true)('read\nrm')).toBe(false);
    expect(compileRegExp(/a|ab/g, true)('ab')).toBe(true);
    const sticky = compileRegExp(/a/gy, false);
    expect([sticky('ba'), sticky('ba'), sticky('ba')]).toEqual([true, true, true]);
    expect(compileRegExp(/(a+)+b/, false)(`${'a'.repeat(20)}b`)).toBe(true);
  });
});

describe('readAnswer', () => {
  it.each<[unknown, string]>([
    [true, 'is no object'],
    ['allow', 'is no object'],
    [{ alow: false }, 'a field that is none: alow'],
    [{ allow: 'false' }, '`allow` is neither true nor false'],
    [{ allow: 0 }, '`allow`'],
    [{ error: 'no' }, 'and yet it allows'],
    [{ allow: false, error: '' }, '`error` is no text'],
    [{ ask: true }, '`ask` is no object'],
    [{ ask: { approvers: [] } }, '`ask.approvers` is empty'],
    [{ ask: { expiresMs: 0 } }, '`ask.expiresMs` is no time'],
    [{ ask: { remember: { scopes: ['forever'], maxMs: 1 } } }, 'scopes'],
    [{ modifiedArgs: ['a'] }, '`modifiedArgs` is no object'],
    [{ modifiedResult: 'x' }, 'a field that is none'],
    [{ sideEffects: 'x' }, '`sideEffects` is no list'],
    [new (class Answer {})(), 'an object of a class'],
    [Promise.resolve({ allow: true }), 'an object of a class'],
  ])('takes no nonsense: %j', (answer, message) => {
    expect(() => readAnswer(answer, 'PreToolUse')).toThrow(message);
  });

  it('is what was said at that moment', () => {
    const args = { a: { b: 1 } };
    let reads = 0;
    const answer = readAnswer(
      {
        modifiedArgs: args,
        get allow() {
          return reads++ > 0;
        },
      },
      'PreToolUse',
    );
    args.a.b = 2;
    expect(answer).toMatchObject({ allow: false, modifiedArgs: { value: { a: { b: 1 } } } });
  });
});
