import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { ObserverError } from '@hermes-observer/core';
import type { Approval, MessageRef } from '../../approvals/approval.js';
import type { DecisionPort } from '../../approvals/approvals-port.js';
import type { ApprovalCard, BaseChannel, DecisionOutcome } from '../base-channel.js';
import { outcomeOf } from '../card-facts.js';
import { checkedName } from '../channel-fetch.js';
import { type Choice, meaningOf } from '../choice-value.js';
import { visibleLine } from '../visible-text.js';
import { AnswerLines } from './answer-lines.js';
import { type Prompt, promptOf } from './prompt-text.js';
import { openTerminal, type Terminal } from './terminal-device.js';

export interface TerminalChannelOptions {
  /** @default 'terminal' */
  readonly name?: string | undefined;
  /** @default '/dev/tty': the terminal of this process, whatever its standard input is */
  readonly device?: string | undefined;
  /** Streams to ask on instead; they are left open. */
  readonly streams?: { readonly input: NodeJS.ReadableStream; readonly output: NodeJS.WritableStream } | undefined;
  /** Who answers here. @default the number of the user that this process runs as, so that `terminal:1000` may approve */
  readonly approver?: string | undefined;
  /** Characters of arguments shown in full. @default 65536 */
  readonly maxArgs?: number | undefined;
  /** Milliseconds from the question until an answer to it counts: what was typed before is none. @default 500 */
  readonly settleMs?: number | undefined;
}

/** Each holds all of its arguments. */
const MOST_WAITING = 100;

interface Waiting {
  readonly card: ApprovalCard;
  prompt?: Prompt;
  shownAt?: number;
  isDeciding?: boolean;
}

/**
 * Asks at the terminal, one question at a time. Only whole words answer; anything else asks again; a terminal that is closed
 * answers nothing. Standard input and its mode stay untouched.
 */
export class TerminalChannel implements BaseChannel {
  readonly name: string;
  readonly forgets = true;
  readonly #options: TerminalChannelOptions;
  readonly #queue: Waiting[] = [];
  #decisions: DecisionPort | undefined;
  #terminal: Terminal | undefined;
  #lines: AnswerLines | undefined;

  /** @throws ObserverError `HO_POLICY_CONFIG` */
  constructor(options: TerminalChannelOptions = {}) {
    this.name = checkedName(options.name ?? 'terminal');
    this.#options = options;
  }

  open(decisions: DecisionPort): void {
    this.#decisions = decisions;
  }

  async send(card: ApprovalCard): Promise<Omit<MessageRef, 'channel'>> {
    if (this.#decisions === undefined) throw this.#fault('it was not opened');
    if (this.#queue.length >= MOST_WAITING) throw this.#fault(`${MOST_WAITING} questions wait already`);
    this.#ready();
    this.#queue.push({ card });
    this.#showFirst();
    return this.#source(card);
  }

  /** It was decided elsewhere, or its time is over: the question goes away. */
  async update(_: MessageRef, approval: Approval): Promise<void> {
    const at = this.#queue.findIndex(({ card }) => card.approval.id === approval.id);
    const waiting = this.#queue[at];
    if (waiting === undefined || waiting.isDeciding || approval.state === 'pending') return;
    if (waiting.prompt !== undefined) this.#print(`\n${outcomeOf(approval)} Nothing to type any more.\n`);
    this.#queue.splice(at, 1);
    this.#showFirst();
  }

  close(): void {
    this.#queue.length = 0;
    this.#release();
  }

  /** Opens the terminal, for as long as a question stands there. */
  #ready(): void {
    if (this.#terminal !== undefined) return;
    const { streams, device = '/dev/tty' } = this.#options;
    this.#terminal = streams === undefined ? openTerminal(device) : { ...streams, close: () => undefined };
    this.#lines = new AnswerLines(
      this.#terminal.input,
      (line) => void this.#answer(line),
      () => this.#ended(),
    );
  }

  #release(): void {
    this.#lines?.stop();
    this.#terminal?.close();
    this.#lines = undefined;
    this.#terminal = undefined;
  }

  /** Nobody can answer here any more. The requests stay pending. */
  #ended(): void {
    this.#print('\nThe terminal is closed: nothing was approved.\n');
    this.close();
  }

  #showFirst(): void {
    const [first] = this.#queue;
    if (first === undefined) {
      this.#release();
      return;
    }
    if (first.prompt !== undefined) return;
    this.#ready();
    this.#lines?.clear();
    // A terminal that was never given a size says 0.
    const columns = (this.#terminal?.output as { columns?: number } | undefined)?.columns || 80;
    first.prompt = promptOf(first.card, this.#queue.length - 1, this.#options.maxArgs ?? 65_536, columns);
    first.shownAt = performance.now();
    this.#print(first.prompt.text);
  }

  async #answer(line: string): Promise<void> {
    const [first] = this.#queue;
    if (first?.prompt === undefined || first.isDeciding) return;
    if (performance.now() - (first.shownAt ?? 0) < (this.#options.settleMs ?? 500)) {
      return this.#print(`\nTyped before the question could be read, so it does not count.\n${first.prompt.ask}`);
    }
    const choice = first.prompt.words.get(line.trim().toLowerCase());
    if (choice === undefined) return this.#print(first.prompt.ask);
    first.isDeciding = true;
    const { text } = await this.#decide(first.card, choice);
    this.#print(`${visibleLine(text)}\n`);
    const at = this.#queue.indexOf(first);
    if (at < 0) return;
    this.#queue.splice(at, 1);
    this.#showFirst();
  }

  async #decide(card: ApprovalCard, choice: Choice): Promise<DecisionOutcome> {
    const { approval, token } = card;
    try {
      const decided = await this.#decisions?.decide(
        this.name,
        {
          kind: 'decision',
          approvalId: approval.id,
          token,
          ...meaningOf(choice, approval.remember?.maxMs ?? 0),
          decider: { channel: this.name, id: this.#approver() },
          source: this.#source(card),
          eventId: randomUUID(),
        },
        Date.now(),
      );
      if (decided !== undefined) return decided;
    } catch {}
    return { ok: false, text: 'It could not be decided: nothing was approved.', approval: undefined };
  }

  #source({ approval }: ApprovalCard): Omit<MessageRef, 'channel'> {
    return { tenant: '', chat: 'terminal', message: approval.id };
  }

  #approver(): string {
    return this.#options.approver ?? String(process.getuid?.() ?? userInfo().username);
  }

  #print(text: string): void {
    this.#terminal?.output.write(text);
  }

  #fault(why: string): ObserverError {
    return new ObserverError('HO_POLICY_CHANNEL', `${this.name}: ${why}.`);
  }
}
