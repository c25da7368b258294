import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { printLines, wantsColour } from './terminal.js';

describe('wantsColour', () => {
  it.each([
    [{}, true, true],
    [{}, false, false],
    [{ TERM: 'dumb' }, true, false],
    [{ FORCE_COLOR: '0' }, true, false],
    [{ FORCE_COLOR: 'false' }, true, false],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: 'true', TERM: 'dumb' }, false, true],
    [{ FORCE_COLOR: '' }, true, true],
    [{ FORCE_COLOR: '' }, false, false],
    [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ CI: 'true' }, false, false],
  ])('%j on a terminal (%s): %s', (env, isTerminal, expected) => {
    expect(wantsColour(isTerminal, env)).toBe(expected);
  });
});

describe('printLines', () => {
  it('rejects with the code of an output that cannot be written', async () => {
    const out = new Writable({ write: (_chunk, _encoding, done) => done(new Error('disk is full')) });
    out.on('error', () => {});
    await expect(printLines(['a'], out)).rejects.toMatchObject({
      code: 'HO_OUTPUT_UNWRITABLE',
      message: 'cannot write to standard output: disk is full',
    });
  });

  it('writes no faster than it is read', async () => {
    let waiting = 0;
    let most = 0;
    const out = new Writable({
      write(chunk: Buffer, _encoding, done) {
        setImmediate(() => {
          waiting -= chunk.length;
          done();
        });
      },
    });
    function* lines() {
      for (let i = 0; i < 10_000; i++) {
        waiting += 101;
        most = Math.max(most, waiting);
        yield 'x'.repeat(100);
      }
    }
    await printLines(lines(), out);
    expect([waiting, most < 200_000]).toEqual([0, true]);
  });
});
