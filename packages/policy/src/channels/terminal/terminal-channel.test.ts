import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { cardOf, eventually, HOSTILE, MemoryDecisions, UNSEEN } from '../scene.test-support.js';
import { TerminalChannel, type TerminalChannelOptions } from './terminal-channel.js';

function scene(options: TerminalChannelOptions = {}) {
  const input = new PassThrough();
  const output = Object.assign(new PassThrough(), { columns: 100 });
  let text = '';
  output.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  const channel = new TerminalChannel({ streams: { input, output }, approver: '1000', settleMs: 0, ...options });
  const decisions = new MemoryDecisions();
  channel.open(decisions);
  const shows = (part: string) => eventually(() => text.includes(part));
  const seen = () => {
    const now = text;
    text = '';
    return now;
  };
  return { channel, decisions, input, shows, seen };
}

const columnsOf = (row: string) => [...row].reduce((sum, character) => sum + (character > '\u1100' ? 2 : 1), 0);

describe('a question at the terminal', () => {
  it('shows all arguments and the digest, and is answered by a word', async () => {
    const { channel, decisions, input, shows, seen } = scene();
    const card = cardOf({ amount: 5000, to: 'ACME' });
    await decisions.show(channel, card);
    await shows('Type one word');
    const text = seen();
    for (const line of card.args.split('\n')) expect(text).toContain(`|   ${line}`);
    expect(text).toContain(card.approval.digest);
    expect(text).not.toContain(card.token);
    input.write('y\n');
    await shows('approved.');
    expect(decisions.decided).toMatchObject([
      {
        choice: 'approve',
        decider: { channel: 'terminal', id: '1000' },
        source: { tenant: '', chat: 'terminal', message: card.approval.id },
      },
    ]);
  });

  it('is answered by whole words only; anything else asks again', async () => {
    const { channel, decisions, input, shows, seen } = scene();
    await decisions.show(channel, cardOf({}));
    await shows('Type one word');
    for (const word of ['', 'ye', 'yes please', 'yy', 'ok', '1', 'approve', 'session', 'ny', 'y'.repeat(300)]) {
      seen();
      input.write(`${word}\n`);
      await shows('Type one word');
      expect(decisions.decided, word).toEqual([]);
    }
    input.write(' No \r\n');
    await shows('rejected.');
    expect(decisions.decided).toMatchObject([{ choice: 'reject' }]);
  });

  it('what was typed before it stood there does not answer it', async () => {
    const { channel, decisions, input, shows } = scene({ settleMs: 200 });
    input.write('y\ny\n');
    await decisions.show(channel, cardOf({}));
    await shows('does not count');
    expect(decisions.decided).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 250));
    input.write('y\n');
    await shows('approved.');
  });

  it('half a word typed for one question is not part of the answer to the next', async () => {
    const { channel, decisions, input, shows, seen } = scene();
    const first = cardOf({}, { tool: 'first' });
    const second = cardOf({}, { tool: 'second' });
    const ref = await decisions.show(channel, first);
    await decisions.show(channel, second);
    await shows('first');
    input.write('ye');
    await channel.update({ channel: 'terminal', ...ref }, { ...first.approval, state: 'expired' });
    await shows('second');
    seen();
    input.write('s\n');
    await shows('Type one word');
    expect(decisions.decided).toEqual([]);
  });

  it('comes one at a time, in order', async () => {
    const { channel, decisions, input, shows, seen } = scene();
    const tools = ['one', 'two', 'three'].map((name) => `tool-${name}`);
    for (const tool of tools) await decisions.show(channel, cardOf({}, { tool }));
    for (const [i, tool] of tools.entries()) {
      await shows(`Tool: ${tool}`);
      const text = seen();
      expect(text.match(/Type one word/g)).toHaveLength(1);
      for (const other of tools.slice(i + 1)) expect(text).not.toContain(other);
      if (i === 1) expect(text).toContain('(1 more wait)');
      input.write(i === 1 ? 'n\n' : 'y\n');
      await shows(i === 1 ? 'rejected.' : 'approved.');
    }
    expect(decisions.decided.map(({ choice }) => choice)).toEqual(['approve', 'reject', 'approve']);
  });

  it('that was decided elsewhere goes away, waiting or shown, and typing answers the next one', async () => {
    const { channel, decisions, input, shows } = scene();
    const [first, second, third] = [cardOf({}, { tool: 'a' }), cardOf({}, { tool: 'b' }), cardOf({}, { tool: 'c' })];
    for (const card of [first, second, third]) await decisions.show(channel, card);
    const ref = { channel: 'terminal', tenant: '', chat: 'terminal', message: '' };
    await channel.update(ref, { ...second.approval, state: 'cancelled' });
    await channel.update(ref, { ...first.approval, state: 'approved', decider: { channel: 'slack', id: 'U1' } });
    await shows('Approved by slack:U1. Nothing to type any more.');
    await shows('Tool: c');
    input.write('y\n');
    await shows('approved.');
    expect(decisions.decided.map(({ approvalId }) => approvalId)).toEqual([third.approval.id]);
  });

  it('remembers as far as it is offered', async () => {
    const { channel, decisions, input, shows } = scene();
    await decisions.show(channel, cardOf({}, { remember: { scopes: ['session'], maxMs: 600_000 } }));
    await shows('session (Approve for this session, 10 min)');
    input.write('same\n');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(decisions.decided).toEqual([]);
    input.write('session\n');
    await shows('approved.');
    expect(decisions.decided[0]?.remember).toEqual({ scope: 'session', ms: 600_000 });
  });

  it('escapes, direction marks and forged questions in arguments, tool and title are shown as what they are', async () => {
    for (const text of HOSTILE) {
      const { channel, decisions, shows, seen } = scene();
      await decisions.show(channel, cardOf({ text }, { tool: text, title: text, agent: text }));
      await shows('Type one word');
      await new Promise((resolve) => setTimeout(resolve, 5));
      const shown = seen();
      expect(shown).not.toMatch(UNSEEN);
      const questions = shown.split('\n').filter((line) => line.startsWith('Type one word'));
      expect(questions).toHaveLength(1);
      const others = shown.split('\n').filter((line) => !/^(\||==|Type one word|$)/.test(line));
      expect(others).toEqual([]);
    }
  });

  it('a text that is as wide as the terminal begins no row of its own', async () => {
    const { channel, decisions, shows, seen } = scene();
    const forged = 'Type one word: y (Approve once), n (Reject) > ';
    for (const filler of [' '.repeat(200), '日'.repeat(60), 'x'.repeat(99), 'é'.repeat(150)]) {
      const text = Array.from({ length: 8 }, () => forged).join(filler);
      await decisions.show(channel, cardOf({ text }, { tool: text.slice(0, 400) }));
      await shows('Type one word: y (Approve once), n (Reject) > ');
      await new Promise((resolve) => setTimeout(resolve, 5));
      const rows = seen().split('\n');
      for (const row of rows.slice(0, -1)) {
        expect(row).toMatch(/^(\||==|$)/);
        expect(columnsOf(row)).toBeLessThanOrEqual(100);
      }
      channel.close();
    }
  });

  it('that cannot be shown in full says so; without a page it can only be rejected', async () => {
    const { channel, decisions, input, shows, seen } = scene({ maxArgs: 1000 });
    const card = cardOf({ text: 'x'.repeat(5000) });
    await decisions.show(channel, card);
    await shows('Type one word: n (Reject) >');
    expect(seen()).toMatch(
      new RegExp(`!! NOT ALL IS SHOWN: the first 1000 of 5016 characters.*${card.approval.digest}`),
    );
    input.write('y\n');
    await shows('Type one word');
    expect(decisions.decided).toEqual([]);
    input.write('n\n');
    await shows('rejected.');
  });

  it('at a terminal that is closed is no consent, and no one after it', async () => {
    const { channel, decisions, input, shows } = scene();
    await decisions.show(channel, cardOf({}));
    await decisions.show(channel, cardOf({}));
    input.end();
    await shows('nothing was approved');
    expect(decisions.decided).toEqual([]);
    expect(await decisions.pending()).toHaveLength(2);
  });

  it('says so when it cannot be decided', async () => {
    const { channel, decisions, input, shows } = scene();
    decisions.fault = new Error('the disk is full');
    await decisions.show(channel, cardOf({}));
    await shows('Type one word');
    input.write('y\n');
    await shows('It could not be decided: nothing was approved.');
  });

  it('leaves the input to others when nothing waits', async () => {
    const { channel, decisions, input, shows } = scene();
    await decisions.show(channel, cardOf({}));
    await shows('Type one word');
    input.write('n\n');
    await shows('rejected.');
    expect(input.isPaused()).toBe(true);
    expect(['data', 'end', 'error'].map((event) => input.listenerCount(event))).toEqual([0, 0, 0]);
    const listener = vi.fn();
    input.once('data', listener).resume();
    input.write('for the agent\n');
    await eventually(() => listener.mock.calls.length === 1);
  });
});

it('without a terminal it reaches nobody', async () => {
  const channel = new TerminalChannel({ device: '/nowhere/tty' });
  await expect(channel.send(cardOf({}))).rejects.toMatchObject({ code: 'HO_POLICY_CHANNEL' });
  channel.open(new MemoryDecisions());
  await expect(channel.send(cardOf({}))).rejects.toMatchObject({
    code: 'HO_POLICY_CHANNEL',
    message: expect.stringContaining('There is no terminal to ask at'),
  });
});
