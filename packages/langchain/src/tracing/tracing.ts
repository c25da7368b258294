import {
  type AdapterHost,
  type AdapterRequest,
  type AdapterTool,
  type AdapterTurn,
  BoundedMap,
  type Guard,
  type Scope,
  type ScopeStore,
} from '@hermes-observer/adapter';
import { isAbort, saysAbort } from '../framework/aborts.js';
import { answerOf } from '../framework/answer.js';
import { type Fields, fieldsOf, isGraph, textOf, UNNAMED_GRAPH } from '../framework/fields.js';
import { isLangSmithOtel, spanMaker } from '../framework/framework-spans.js';
import { isSignal, resumeIn } from '../framework/interrupts.js';
import { callsOf, lastAnswer, type MessageCall, messagesIn, textIn, typeOf } from '../framework/messages.js';
import { requestOf } from '../framework/request.js';
import type { LangChainOptions } from '../options.js';
import { Agent } from './agent.js';
import { Approvals } from './approvals.js';

/** Runs that LangChain never ends are forgotten from here on, the oldest first. */
const MOST_RUNS = 10_000;

/** A run of LangChain that is under way: a chain, a graph, a node, a model, a tool. */
interface Run {
  readonly parent: Run | undefined;
  /** `undefined` below a tool that no agent called. */
  readonly agent: Agent | undefined;
  /** Whether it is the whole of its agent. */
  readonly isAgent: boolean;
  /** The agent's name in the metadata, which all below it inherit. */
  readonly agentName?: string | undefined;
  /** Held by LangChain as long as its code runs. What never ends is not to keep it. */
  readonly inputs?: WeakRef<object> | undefined;
  /** Of a tool. */
  readonly args?: unknown;
  readonly tool?: AdapterTool | undefined;
  readonly request?: AdapterRequest | undefined;
  /** Of a node that asks a person: the calls, as they were before. */
  readonly calls?: readonly MessageCall[] | undefined;
  /** The last request in it: one that follows its failure is another attempt. */
  last?: { readonly request: AdapterRequest; readonly model: string | undefined };
  scope?: Scope | undefined;
}

/** A run as its start is told. */
export interface RunStart {
  readonly runId: string;
  readonly parentRunId: string | undefined;
  readonly name: string | undefined;
  readonly metadata: Fields;
}

/** Makes turns, requests and calls of what LangChain tells its callback handlers. */
export class LangChainTracing {
  /** Whether runs are observed. Those that were under way when that ended are not known any more. */
  isOn = true;
  readonly #host: AdapterHost;
  readonly #guard: Guard;
  readonly #options: LangChainOptions;
  readonly #scopes: ScopeStore;
  readonly #runs = new BoundedMap<string, Run>(MOST_RUNS);
  readonly #approvals = new Approvals();
  #othersSpans = false;

  constructor(host: AdapterHost, guard: Guard, options: LangChainOptions, scopes: ScopeStore) {
    this.#host = host;
    this.#guard = guard;
    this.#options = options;
    this.#scopes = scopes;
    if (isLangSmithOtel()) this.#sawOthers('LangSmith');
  }

  has(runId: string | undefined): boolean {
    return runId !== undefined && this.#runs.get(runId) !== undefined;
  }

  /** Whether a request was told of by LangChain. */
  owns(request: AdapterRequest): boolean {
    return request.owner === this;
  }

  /** Code of a run is about to run. Gives the scope that it belongs to. */
  within(runId: string, { callbacks, signal, configurable }: Fields): Scope | undefined {
    // One of the handlers of the run may make spans as well.
    const maker = this.#othersSpans ? undefined : spanMaker(fieldsOf(callbacks).handlers);
    if (maker !== undefined) this.#sawOthers(maker);
    const run = this.#runs.get(runId);
    if (run === undefined) return undefined;
    // Graphs have one for the whole run, and make one of it for each step.
    const { externalAbortSignal = signal } = fieldsOf(fieldsOf(configurable).__pregel_abort_signals);
    if (externalAbortSignal instanceof AbortSignal) run.agent?.watch(externalAbortSignal);
    return scopeOf(run);
  }

  chainStarted(start: RunStart, chain: unknown, inputs: unknown): void {
    const { runId, name, metadata } = start;
    const parent = this.#parentOf(start);
    const graph = isGraph(chain);
    if (parent !== undefined && parent.agent !== undefined && !isAgentBelow(parent, graph, start)) {
      const isAsking = !graph && isAskingNode(name, metadata) && parent.agent.resume !== undefined;
      const calls = isAsking ? callsOf(lastAnswer(inputs)) : undefined;
      this.#runs.set(runId, {
        parent,
        agent: parent.agent,
        isAgent: false,
        agentName: agentNameIn(start),
        inputs: weakly(inputs),
        calls,
      });
      return;
    }
    const agent = this.#agent(start, parent, inputs, graph);
    this.#runs.set(runId, {
      parent,
      agent,
      isAgent: agent.info.runId === runId,
      agentName: agentNameIn(start),
      inputs: weakly(inputs),
    });
    if (graph && this.#options.frameworkSpans !== 'yield') this.#begin(agent);
  }

  chainEnded(runId: string, outputs: unknown): void {
    const run = this.#take(runId);
    const agent = run?.agent;
    if (run === undefined || agent === undefined) return;
    const { calls } = run;
    if (calls !== undefined) this.#guard.safely(() => this.#approvals.decided(agent, calls, outputs));
    if (agent.asked.size > 0) this.#guard.safely(() => this.#answeredWithoutRun(agent, outputs));
    if (run.isAgent) agent.ended(outputs);
  }

  chainFailed(runId: string, thrown: unknown): void {
    const error = this.#readable(thrown);
    const run = this.#take(runId);
    const agent = run?.agent;
    if (run === undefined || agent === undefined) return;
    if (isSignal(error)) this.#guard.safely(() => this.#approvals.interrupted(agent, run.inputs?.deref(), error));
    agent.failedInside(error);
    if (run.isAgent) agent.failed(error);
  }

  /** Gives the scope that the model's code runs in. */
  modelStarted(start: RunStart, llm: unknown, asked: readonly unknown[], extra: unknown): Scope | undefined {
    const { runId, metadata } = start;
    const info = requestOf(llm, asked, extra, metadata);
    const parent = this.#parentOf(start);
    const isOwn = parent?.agent === undefined || parent.tool !== undefined;
    const agent = isOwn ? this.#agent(start, parent, asked, false) : (parent.agent as Agent);
    const turn = this.#begin(agent, info.model);
    const isAgent = agent.info.runId === runId;
    if (turn === undefined) {
      this.#runs.set(runId, { parent, agent, isAgent });
      return undefined;
    }
    const last = parent?.last;
    const isRetry = last?.request.hasFailed === true && last.model === info.model;
    if (!isRetry && last?.request.hasFailed === true) last.request.close();
    if (isRetry) last.request.retry();
    const request = isRetry ? last.request : turn.request(info);
    request.owner = this;
    if (parent !== undefined) parent.last = { request, model: info.model };
    const scope = { turn, request };
    this.#runs.set(runId, { parent, agent, isAgent, request, scope });
    return scope;
  }

  chunk(runId: string): void {
    this.#runs.get(runId)?.request?.chunk();
  }

  modelEnded(runId: string, output: unknown): void {
    const run = this.#take(runId);
    if (run?.agent === undefined || run.request === undefined) return;
    const { agent, request } = run;
    const answer = this.#guard.safely(() => answerOf(output)) ?? { calls: [] };
    agent.answer = answer.text;
    agent.ask(answer.calls);
    // A request that its code sent was seen to fail, and it went on in a way that was not.
    if (request.hasFailed) request.retry();
    request.end(answer);
    if (run.isAgent) run.agent.ended(answer.text);
  }

  modelFailed(runId: string, thrown: unknown): void {
    const error = this.#readable(thrown);
    const run = this.#take(runId);
    if (run?.agent === undefined) return;
    if (isAbort(error)) run.request?.cancelled();
    else run.request?.failed(error);
    run.agent.failedInside(error);
    if (run.isAgent) run.agent.failed(error);
  }

  toolStarted(start: RunStart, input: unknown, toolCallId: string | undefined): void {
    const parent = this.#parentOf(start);
    const agent = parent === undefined ? this.#agentAround() : parent.agent;
    const turn = agent === undefined ? undefined : this.#begin(agent);
    if (agent === undefined || turn === undefined) {
      this.#runs.set(start.runId, { parent, agent: undefined, isAgent: false });
      return;
    }
    const name = start.name ?? 'unknown';
    const args = parsed(input);
    const tool = turn.tool({ name, callId: toolCallId ?? agent.askedFor(name, input), args });
    this.#approvals.toolStarted(agent, tool);
    agent.asked.delete(tool.callId);
    const agentName = agentNameIn(start);
    this.#runs.set(start.runId, {
      parent,
      agent,
      isAgent: false,
      agentName,
      tool,
      args,
      scope: { turn, tool },
    });
  }

  toolEnded(runId: string, output: unknown): void {
    const run = this.#take(runId);
    const { status, content, update } = this.#guard.safely(() => toolOutput(output)) ?? {};
    if (status === 'error')
      run?.tool?.end({ status, result: content, errorType: 'tool_error', errorMessage: textIn(content) });
    else run?.tool?.end({ status: 'ok', result: content ?? (update === undefined ? output : undefined) });
  }

  toolFailed(runId: string, thrown: unknown): void {
    const error = this.#readable(thrown);
    const run = this.#take(runId);
    if (run?.agent === undefined || run.tool === undefined) return;
    if (isSignal(error)) this.#approvals.toolInterrupted(run.agent, run.tool, run.args, error);
    else run.tool.failed(error);
  }

  /** What was thrown; if it throws itself when it is read, an object that says nothing: what failed has failed all the same. */
  #readable(error: unknown): unknown {
    const isReadable = this.#guard.safely(() => {
      isSignal(error);
      saysAbort(error);
      return true;
    });
    return isReadable === true ? error : {};
  }

  #take(runId: string): Run | undefined {
    const run = this.#runs.get(runId);
    this.#runs.delete(runId);
    return run;
  }

  #parentOf({ parentRunId }: RunStart): Run | undefined {
    return parentRunId === undefined ? undefined : this.#runs.get(parentRunId);
  }

  #begin(agent: Agent, model?: string) {
    const turn = agent.begin(model);
    if (turn !== undefined) turn.owner = agent;
    return turn;
  }

  /** The agent whose code runs, where LangChain does not say so. */
  #agentAround(): Agent | undefined {
    const around = this.#scopes.getStore();
    return around === undefined || around.turn.isEnded || !(around.turn.owner instanceof Agent)
      ? undefined
      : around.turn.owner;
  }

  #agent(start: RunStart, above: Run | undefined, inputs: unknown, graph: boolean): Agent {
    const { runId, name, metadata } = start;
    const around = this.#scopes.getStore();
    const own = above?.agent === undefined ? this.#agentAround() : undefined;
    // LangChain hands its runs on through the agents of others that work for them.
    const isBetween = isBelow(around?.turn, above?.agent?.turn);
    // Code of an agent that calls LangChain without saying from where: as if it had said so.
    if (own !== undefined && around?.tool === undefined && !graph) return own;
    const { sessionKey = 'session_id' } = this.#options;
    const isObserved = () => !this.#othersSpans || this.#options.frameworkSpans !== 'yield';
    return new Agent(
      { host: this.#host, guard: this.#guard, isObserved },
      {
        runId,
        name: ownNameIn(start, above) ?? nameOf(name, graph, above ?? own),
        sessionId: textOf(metadata[sessionKey]) ?? textOf(metadata.thread_id),
        threadId: textOf(metadata.thread_id) ?? above?.agent?.info.threadId,
        resume: resumeIn(inputs),
        parent: isBetween ? undefined : (above?.agent ?? own),
        around: around?.turn,
        parentCallId: (above === undefined || isBetween ? undefined : toolAbove(above)?.callId) ?? around?.tool?.callId,
      },
      inputs,
    );
  }

  /** Answers of calls that never ran here: refused arguments, or a middleware that answered in the tool's place. */
  #answeredWithoutRun(agent: Agent, outputs: unknown): void {
    // A node that goes elsewhere with the answer hands over, and calls nothing.
    const messages = fieldsOf(outputs).update === undefined ? messagesIn(outputs) : [];
    for (let i = messages.length - 1; i >= 0 && typeOf(messages[i]) === 'tool'; i--) {
      const { tool_call_id, status, content } = fieldsOf(messages[i]);
      const call = agent.asked.get(textOf(tool_call_id) ?? '');
      if (call === undefined) continue;
      agent.asked.delete(call.id);
      const tool = this.#begin(agent)?.tool({ name: call.name, callId: call.id, args: call.args });
      const errorMessage = textIn(content);
      // Some versions leave out that it is an error.
      const isRefused = /did not match expected schema/.test(errorMessage ?? '');
      const errorType = isRefused ? 'invalid_tool_arguments' : 'tool_error';
      if (isRefused || status === 'error') tool?.end({ status: 'error', errorType, errorMessage, result: content });
      else tool?.end({ status: 'ok', result: content });
    }
  }

  #sawOthers(maker: string): void {
    this.#othersSpans = true;
    const { frameworkSpans = 'warn' } = this.#options;
    if (frameworkSpans !== 'warn') return;
    this.#guard.tell(
      `${maker} makes spans of the same requests, which now count twice: take it out, or set frameworkSpans to 'yield' or 'keep'`,
    );
  }
}

const weakly = (inputs: unknown): WeakRef<object> | undefined =>
  typeof inputs === 'object' && inputs !== null ? new WeakRef(inputs) : undefined;

/** Whether a turn of another adapter works for a turn of ours. */
function isBelow(turn: AdapterTurn | undefined, ours: AdapterTurn | undefined): boolean {
  if (turn === undefined || ours === undefined || turn.isEnded || turn.owner instanceof Agent) return false;
  for (let one = turn.parent; one !== undefined; one = one.parent) if (one === ours) return true;
  return false;
}

/** Whether a chain in another run is an agent of its own: below a tool, or a graph with another name. */
function isAgentBelow(parent: Run, graph: boolean, start: RunStart): boolean {
  if (parent.tool !== undefined) return true;
  return graph && (ownNameIn(start, parent) ?? start.name ?? UNNAMED_GRAPH) !== UNNAMED_GRAPH;
}

const agentNameIn = ({ metadata }: RunStart): string | undefined => textOf(metadata.lc_agent_name);

/** The name that an agent has in its metadata, unless it is that of the agent above it. */
function ownNameIn(start: RunStart, above: Run | undefined): string | undefined {
  const name = agentNameIn(start);
  return name === above?.agentName ? undefined : name;
}

/** The name of a run that makes an agent, where it was given one: below a tool, the name of a class says less than the model. */
function nameOf(name: string | undefined, graph: boolean, above: unknown): string | undefined {
  if (graph) return name === UNNAMED_GRAPH ? undefined : name;
  return above !== undefined && /^Runnable[A-Z]/.test(name ?? '') ? undefined : name;
}

const isAskingNode = (name: string | undefined, { langgraph_node }: Fields): boolean =>
  name !== undefined && name === langgraph_node && /HumanInTheLoop|after_?model/i.test(name);

function toolAbove(run: Run): AdapterTool | undefined {
  for (let one: Run | undefined = run; one !== undefined; one = one.parent) {
    if (one.tool !== undefined) return one.tool;
    if (one.isAgent) return undefined;
  }
  return undefined;
}

function scopeOf(run: Run): Scope | undefined {
  if (run.scope !== undefined) return run.scope;
  const turn = run.agent?.turn;
  const isOwn = turn !== undefined && run.agent !== run.parent?.agent;
  const scope = isOwn ? { turn } : run.parent === undefined ? undefined : scopeOf(run.parent);
  if (turn !== undefined) run.scope = scope;
  return scope;
}

/** What is read of what a tool gave. */
function toolOutput(output: unknown) {
  const { status, content, update } = fieldsOf(output);
  return { status, content, update };
}

/** What a tool is called with is told as JSON. */
function parsed(input: unknown): unknown {
  try {
    return typeof input === 'string' ? JSON.parse(input) : input;
  } catch {
    return input;
  }
}
