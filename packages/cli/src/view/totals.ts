import { semconv } from '@hermes-observer/otel';
import { counted } from './amount.js';
import { CostSum } from './cost.js';
import { type Piece, piece } from './piece.js';
import { type Role, roleOf } from './role.js';
import { numberOf, type SpanRow, textOf } from './span-row.js';
import { addUsage, lacksUsage, type Usage, usageOf, usageParts, usageText } from './usage.js';

/** What spans add up to. */
export class Totals {
  spans = 0;
  /** Model requests of agents. */
  requests = 0;
  /** Model requests the agent made for itself, such as a title. */
  auxiliary = 0;
  /** Attempts beyond the first. */
  retries = 0;
  tools = 0;
  subagents = 0;
  approvals = 0;
  /** Waits for a person's input other than approvals. */
  inputs = 0;
  /** Spans with status ERROR. */
  errors = 0;
  blocked = 0;
  /** Spans that were closed for want of an end, or have none. */
  incomplete = 0;
  /** Answered requests that say nothing of tokens. */
  unreported = 0;
  usage: Usage | undefined;
  readonly cost = new CostSum();

  add(row: SpanRow, role: Role = roleOf(row)): void {
    const { attributes } = row;
    this.spans++;
    if (row.failed) this.errors++;
    if (row.end === undefined || attributes[semconv.ATTR_HERMES_INCOMPLETE] === true) this.incomplete++;
    switch (role) {
      case 'chat':
        this.#addRequest(row);
        break;
      case 'tool':
        this.tools++;
        if (textOf(attributes, semconv.ATTR_HERMES_TOOL_STATUS) === 'blocked') this.blocked++;
        break;
      case 'child':
        this.subagents++;
        break;
      case 'approval':
        this.approvals++;
        break;
      case 'human_input':
        this.inputs++;
        break;
    }
  }

  #addRequest(row: SpanRow): void {
    const { attributes } = row;
    if (textOf(attributes, semconv.ATTR_HERMES_AUX_TASK) === undefined) this.requests++;
    else this.auxiliary++;
    this.retries += Math.max(0, (numberOf(attributes, semconv.ATTR_HERMES_API_ATTEMPTS) ?? 1) - 1);
    this.cost.add(attributes);
    const usage = usageOf(attributes);
    if (usage !== undefined) this.usage = addUsage(this.usage, usage);
    else if (lacksUsage(row)) this.unreported++;
  }

  /** Adds what a part came to. */
  include(other: Totals): void {
    this.spans += other.spans;
    this.requests += other.requests;
    this.auxiliary += other.auxiliary;
    this.retries += other.retries;
    this.tools += other.tools;
    this.subagents += other.subagents;
    this.approvals += other.approvals;
    this.inputs += other.inputs;
    this.errors += other.errors;
    this.blocked += other.blocked;
    this.incomplete += other.incomplete;
    this.unreported += other.unreported;
    this.cost.include(other.cost);
    if (other.usage !== undefined) this.usage = addUsage(this.usage, other.usage);
  }

  /** What was done and what it cost, as parts; zeros are left out. */
  parts(): Piece[] {
    const parts = this.#counts();
    if (this.usage !== undefined) parts.push(piece(`tokens ${usageText(this.usage)}`));
    if (this.unreported > 0) parts.push(piece(`tokens of ${counted(this.unreported, 'request')} not reported`, 'dim'));
    parts.push(...this.cost.parts());
    return parts;
  }

  /** The same for the line of one agent, the cost first. */
  shortParts(): Piece[] {
    const cost = this.usage === undefined ? [] : usageParts(this.usage).slice(0, 1);
    return [...cost, ...this.#counts()];
  }

  #counts(): Piece[] {
    const parts: Piece[] = [];
    const say = (count: number, noun: string, tone: Piece['tone'] = 'plain', plural?: string) => {
      if (count > 0) parts.push(piece(counted(count, noun, plural), tone));
    };
    say(this.requests, 'request');
    say(this.retries, 'retry', 'warn', 'retries');
    say(this.auxiliary, 'auxiliary', 'plain', 'auxiliary');
    say(this.tools, 'tool');
    say(this.subagents, 'subagent');
    say(this.approvals, 'approval');
    say(this.inputs, 'human input');
    say(this.errors, 'error', 'bad');
    say(this.blocked, 'blocked', 'warn', 'blocked');
    say(this.incomplete, 'incomplete', 'warn', 'incomplete');
    return parts;
  }
}
