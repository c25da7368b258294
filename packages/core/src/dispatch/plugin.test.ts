import { describe, expect, it } from 'vitest';
import type { PluginHub } from './hub.js';
import { Hub } from './hub.js';

describe('use', () => {
  it('registers under the name of the plugin and takes all away again', async () => {
    const hub = new Hub();
    const calls: string[] = [];
    const remove = hub.use({
      name: 'audit',
      setup(scoped) {
        scoped.on('a', () => calls.push('a'));
        scoped.respond('x', () => 1);
        return () => calls.push('cleanup');
      },
    });
    hub.on('a', () => calls.push('other'));
    expect(hub.plugins).toEqual(['audit']);
    hub.emit('a', {});
    expect(await hub.ask('x', {})).toEqual({ answers: [1], by: ['audit'] });
    remove();
    remove();
    hub.emit('a', {});
    expect(calls).toEqual(['a', 'other', 'cleanup', 'other']);
    expect(hub.hasResponder('x')).toBe(false);
    expect(hub.plugins).toEqual([]);
    expect(hub.remove('audit')).toBe(false);
  });

  it('keeps nothing of a plugin whose set-up throws', () => {
    const hub = new Hub();
    const cause = new Error('no database');
    const use = () =>
      hub.use({
        name: 'bad',
        setup(scoped) {
          scoped.on('a', () => {});
          throw cause;
        },
      });
    expect(use).toThrow(
      expect.objectContaining({ code: 'HO_PLUGIN_SETUP', message: expect.stringContaining('bad'), cause }),
    );
    expect(hub.has('a')).toBe(false);
    expect(hub.plugins).toEqual([]);
  });

  it('wants a name of its own', () => {
    const hub = new Hub();
    hub.use({ name: 'one', setup() {} });
    const code = { code: 'HO_PLUGIN_NAME' };
    expect(() => hub.use({ name: 'one', setup() {} })).toThrow(expect.objectContaining(code));
    expect(() => hub.use({ name: '', setup() {} })).toThrow(expect.objectContaining(code));
    expect(() => hub.use(undefined as never)).toThrow(expect.objectContaining(code));
    expect(hub.remove('one')).toBe(true);
    hub.use({ name: 'one', setup() {} });
  });

  it('isolates clean-up, async set-up and what a removed plugin still does', async () => {
    const hub = new Hub({ onError: () => {} });
    let kept: PluginHub | undefined;
    const remove = hub.use({
      name: 'gone',
      setup(scoped) {
        kept = scoped;
        return () => {
          throw new Error('cleanup');
        };
      },
    });
    remove();
    kept?.on('a', () => {});
    expect(hub.has('a')).toBe(false);
    hub.use({
      name: 'later',
      async setup(scoped) {
        scoped.on('b', () => {});
        throw new Error('connect');
      },
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(hub.has('b')).toBe(false);
    expect(hub.plugins).toEqual([]);
    expect(hub.stats.failures.plugin).toBe(2);
  });
});
