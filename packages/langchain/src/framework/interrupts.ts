import { fieldsOf, listOf, textOf } from './fields.js';
import { callsOf, lastAnswer, type MessageCall } from './messages.js';

/** A question to a person about a call. */
export interface AskedCall {
  readonly call: MessageCall;
  /** LangGraph's id of the interrupt. */
  readonly requestId: string | undefined;
}

/** What a person decided about a call. */
export interface Decision {
  readonly type: string;
  /** Of an edited call: what is called instead. */
  readonly name: string | undefined;
  readonly args: unknown;
}

/** What graphs throw to stop or to go elsewhere, which is no failure. */
const SIGNALS: ReadonlySet<unknown> = new Set(['GraphInterrupt', 'NodeInterrupt', 'ParentCommand', 'GraphBubbleUp']);

export const isSignal = (error: unknown): boolean => SIGNALS.has(fieldsOf(error).name);

/** Interrupts that an error carries: `id`, and the `value` that was asked. */
export function interruptsOf(error: unknown): { readonly id: string | undefined; readonly value: unknown }[] {
  return listOf(fieldsOf(error).interrupts)
    .map(fieldsOf)
    .map(({ id, value }) => ({ id: textOf(id), value }));
}

/** Calls an interrupt asks about, if it is one of the human-in-the-loop middleware: it names them without their ids. */
export function askedCalls(id: string | undefined, value: unknown, calls: readonly MessageCall[]): AskedCall[] {
  const left = [...calls];
  return listOf(fieldsOf(value).actionRequests)
    .map(fieldsOf)
    .flatMap(({ name, args, action }) => {
      const named = textOf(name) ?? textOf(action);
      const sameArgs = JSON.stringify(args);
      const exact = left.findIndex((one) => one.name === named && JSON.stringify(one.args) === sameArgs);
      const place = exact >= 0 ? exact : left.findIndex((one) => one.name === named);
      const [call] = place < 0 ? [] : left.splice(place, 1);
      return call === undefined ? [] : [{ call, requestId: id }];
    });
}

/** What the run is resumed with: `new Command({ resume })` as its input. */
export const resumeIn = (input: unknown): unknown => fieldsOf(input).resume;

/** The decisions in it: for the one interrupt, or by the id of each. */
export function decisionsIn(resume: unknown, ids: readonly (string | undefined)[]): Decision[] | undefined {
  const own = fieldsOf(resume);
  const byId = ids.map((id) => own[id ?? '']).find((one) => one !== undefined);
  const answer = [own, fieldsOf(byId), ...Object.values(own).map(fieldsOf)].find((one) => Array.isArray(one.decisions));
  return answer === undefined
    ? undefined
    : listOf(answer.decisions)
        .map(fieldsOf)
        .map(({ type, editedAction }) => {
          const { name, args } = fieldsOf(editedAction);
          return { type: textOf(type) ?? 'unknown', name: textOf(name), args };
        });
}

/**
 * The calls that decisions are about, in their order, from the state before and the update after. Of calls that nobody was
 * asked about the middleware puts the ones that were behind them; where one was rejected, it keeps the rejected ones alone.
 * `undefined` for a decision whose call cannot be known.
 */
export function decidedCalls(
  decisions: readonly Decision[],
  before: readonly MessageCall[],
  after: unknown,
): (MessageCall | undefined)[] {
  if (before.length === decisions.length) return [...before];
  const kept = callsOf(lastAnswer(after));
  const isKept = decisions.some(({ type }) => type === 'reject')
    ? ({ type }: Decision) => type === 'reject'
    : () => true;
  const behind = kept.slice(-decisions.filter(isKept).length);
  return decisions.map((decision) => {
    const id = isKept(decision) ? behind.shift()?.id : undefined;
    return before.find((call) => call.id === id);
  });
}

const YES: ReadonlySet<unknown> = new Set([
  true,
  'yes',
  'y',
  'approve',
  'approved',
  'accept',
  'allow',
  'continue',
  'edit',
]);
const NO: ReadonlySet<unknown> = new Set([
  false,
  'no',
  'n',
  'reject',
  'rejected',
  'deny',
  'denied',
  'ignore',
  'cancel',
]);

/** What an answer to a question of a tool itself comes to, which may be anything: `once`, `deny`, else `answered`. */
export function choiceIn(resume: unknown): string {
  const { type, action, approved, decision } = fieldsOf(Array.isArray(resume) ? resume[0] : resume);
  const word = [resume, approved, type, action, decision].find(
    (one) => typeof one === 'boolean' || typeof one === 'string',
  );
  const plain = typeof word === 'string' ? word.trim().toLowerCase() : word;
  return YES.has(plain) ? 'once' : NO.has(plain) ? 'deny' : 'answered';
}
