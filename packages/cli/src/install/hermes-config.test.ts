import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { pluginState, withoutPlugin, withPlugin } from './hermes-config.js';
import { insertItem } from './yaml-list.js';

describe('a list of plugins that cannot be added to', () => {
  it.each([
    'base: &b [a]\nplugins: { enabled: *b }\n',
    'plugins: { enabled: a }\n',
    'plugins: { enabled: { a: true } }\n',
    'plugins: [a]\n',
    'plugins: a\n',
    'a: 1\n...\n',
  ])('is left alone: %j', (text) => {
    expect(() => withPlugin(text)).toThrow(expect.objectContaining({ code: 'HO_INSTALL' }));
  });

  it.each(['plugins:\n', 'plugins:\n  enabled:\n', 'plugins: {}\n', 'plugins: { enabled: [] }\n', '', 'plugins: ~\n'])(
    'is made where there is none: %j',
    (text) => expect(parse(withPlugin(text))).toEqual({ plugins: { enabled: ['hermes-observer'] } }),
  );
});

describe('withPlugin', () => {
  it.each([
    ['plugins: # mine\na: 1\n', 'plugins: # mine\n  enabled:\n    - hermes-observer\na: 1\n'],
    ['plugins:\r\n  enabled:\r\n    - a\r\n', 'plugins:\r\n  enabled:\r\n    - a\r\n    - hermes-observer\r\n'],
    ['plugins: {enabled: [a, b,]}\n', 'plugins: {enabled: [a, b, hermes-observer,]}\n'],
    [
      'plugins:\n  enabled: [\n    a, # one\n    b  # two\n  ]\n',
      'plugins:\n  enabled: [\n    a, # one\n    b, hermes-observer  # two\n  ]\n',
    ],
    ['  a: 1\n', '  a: 1\n  plugins:\n    enabled:\n      - hermes-observer\n'],
    ['{"a": 1}\n', '{"a": 1, plugins: {enabled: [hermes-observer]}}\n'],
    [
      'plugins:\n  disabled:\n  - b\n  - hermes-observer # why\n',
      'plugins:\n  enabled: [hermes-observer]\n  disabled:\n  - b\n  # why\n',
    ],
  ])('changes nothing else in %j', (text, wanted) => {
    expect(withPlugin(text)).toBe(wanted);
    expect(withoutPlugin(wanted, text)).toBe(text);
  });
});

describe('withoutPlugin', () => {
  it.each([
    // What somebody wrote around it stays: quotes, comments, blank lines, blanks at the end of lines.
    [
      "a: 'x'\nplugins:\n  enabled:\n    - a\n",
      'a: "y"   \n\n# mine\nplugins:\n  enabled:\n\n    - \'a\'\n    - hermes-observer\n    - b  # two\n',
      'a: "y"   \n\n# mine\nplugins:\n  enabled:\n\n    - \'a\'\n    - b  # two\n',
    ],
    [
      'plugins: {enabled: [a]}\n',
      'plugins: {enabled: ["b",   hermes-observer, c]}\n',
      'plugins: {enabled: ["b", c]}\n',
    ],
    ['plugins: {enabled: [a]}\n', 'plugins: {enabled: [hermes-observer, c]}\n', 'plugins: {enabled: [c]}\n'],
    // Lists that were made for it go, unless something else is in them now.
    ['a: 1\n', 'a: 1\nplugins:\n  enabled:\n    - hermes-observer\n    - b\n', 'a: 1\nplugins:\n  enabled:\n    - b\n'],
    ['a: 1\n', 'a: 2\nplugins:\n  enabled: # these\n    - hermes-observer\nb: 3', 'a: 2\n  # these\nb: 3'],
    ['a: 1\n', 'plugins:\n  enabled: [hermes-observer] # x\n  entries: {}\n', 'plugins:\n  # x\n  entries: {}\n'],
    ['a: 1\n', 'plugins: {enabled: [hermes-observer]}\na: 3\n', 'a: 3\n'],
    ['plugins: {}\n', 'plugins: {enabled: [hermes-observer], x: 1}\n', 'plugins: {x: 1}\n'],
    // What was disabled is so again.
    [
      'plugins:\n  disabled: [hermes-observer]\n',
      'plugins:\n  enabled: [hermes-observer, b]\n  disabled: [c]\n',
      'plugins:\n  enabled: [b]\n  disabled: [c, hermes-observer]\n',
    ],
    // Without knowing what was there before, as after a loss of the copy.
    [undefined, 'b: 1 # x\nplugins:\n  enabled:\n    - hermes-observer\n', 'b: 1 # x\n'],
  ])('of %j: %j', (before, text, wanted) => {
    expect(withoutPlugin(text, before)).toBe(wanted);
  });

  it('says so where it cannot cut it out', () => {
    const text = 'plugins:\n  enabled:\n    - &me hermes-observer\nother: *me\n';
    expect(() => withoutPlugin(text, 'other: 1\n')).toThrow(/take hermes-observer out of plugins.enabled by hand/);
  });
});

/** Lines of settings that have nothing to do with plugins, as people write them. */
const block = fc.constantFrom(
  'model: mock  # fast\n',
  "\n# a section\nmodel_config:\n    context: '128k'\n",
  'terminal: {backend: local, cwd: "."}\n',
  'text: |\n  one\n\n    two\n\n',
  'list:\n- a\n-   b # x\n- {c: 1}\n',
  '\n\n',
  '# only a comment\n',
  'quoted: "a\\tb"   \n',
  'anchored: &x {a: 1}\nuse: *x\n',
);
const plugins = fc.constantFrom(
  '',
  'plugins:\n',
  'plugins: {}\n',
  'plugins: # mine\n  enabled: [] # none\n',
  'plugins:\n  enabled:\n    - a\n    - "b"  # two\n',
  'plugins:\n  enabled:\n  - a\n\n  # last\n',
  "plugins:\n  enabled: [a, 'b']\n  entries:\n    a: {settings: {x: 1}}\n",
  'plugins:\n    disabled:\n      - hermes-observer\n      - c\n',
  'plugins: {disabled: [c, hermes-observer, d], enabled: [e]}\n',
  'plugins:\n  enabled: [\n    a,\n    b,\n  ]\n',
);
/** Each block at most once, since keys must not repeat. */
const config = fc
  .tuple(
    fc.uniqueArray(block, { maxLength: 4 }),
    plugins,
    fc.uniqueArray(block, { maxLength: 4 }),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([above, own, below, isCarriage, isCut]) => {
    const text = [...new Set([...above, own, ...below])].join('');
    const cut = isCut ? text.replace(/\n$/, '') : text;
    return isCarriage ? cut.replaceAll('\n', '\r\n') : cut;
  });

/** What a user does to a text, by lines that the installation does not touch. */
const edit = fc.record({
  top: fc.constantFrom('', '# top\n', 'first: 1\n\n'),
  end: fc.constantFrom('', '\nlast:\n  - "x" # y\n'),
});

describe('installing and uninstalling', () => {
  it('gives back the same bytes', () => {
    fc.assert(
      fc.property(config, (text) => {
        const installed = withPlugin(text);
        expect(pluginState(installed)).toMatchObject({ isEnabled: true, isDisabled: false });
        expect(withPlugin(installed)).toBe(installed);
        expect(withoutPlugin(installed, text)).toBe(text);
      }),
      { numRuns: 200 },
    );
  });

  it('gives what the user made of it meanwhile', () => {
    fc.assert(
      fc.property(config, edit, (text, { top, end }) => {
        // A text that lacks the end of its last line gets it from whoever appends.
        fc.pre(text === '' || text.endsWith('\n'));
        const edited = (given: string) => top + given + end;
        expect(withoutPlugin(edited(withPlugin(text)), text)).toBe(edited(text));
      }),
      { numRuns: 200 },
    );
  });

  it('means what the user made of the list meanwhile', () => {
    fc.assert(
      fc.property(config, (text) => {
        const edited = insertItem(withPlugin(text), ['plugins', 'enabled'], 'extra') ?? '';
        type Given = { plugins?: { enabled?: string[] | null; disabled?: string[] } | null };
        const given = (parse(text) ?? {}) as Given;
        const result = parse(withoutPlugin(edited, text)) as Given;
        const { disabled = [] } = given.plugins ?? {};
        expect(result.plugins?.disabled?.toSorted() ?? []).toEqual(disabled.toSorted());
        expect({ ...result, plugins: { ...result.plugins, disabled } }).toEqual({
          ...given,
          plugins: { ...given.plugins, enabled: [...(given.plugins?.enabled ?? []), 'extra'], disabled },
        });
      }),
    );
  });
});
