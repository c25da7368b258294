import { HookMeta, type HrTime, type Payload, type TraceContext } from '@hermes-observer/core';
import { Assembler } from './assembler.js';
import type { AssemblyLimits } from './limits.js';
import { RecordingSink } from './recording-sink.test-support.js';
import type { AnyNode, IncompleteReason, NodeLink } from './span-node.js';

/** The node type of a kind. */
type NodeOf<Kind extends AnyNode['kind'], Node = AnyNode> = Node extends AnyNode
  ? Kind extends Node['kind']
    ? Node
    : never
  : never;

export interface SceneMeta {
  readonly producer?: string;
  readonly seq?: number;
  readonly profile?: string;
  readonly traceContext?: TraceContext;
}

/** Seconds as the time of a record, to the millisecond. */
export function seconds(value: number): HrTime {
  const whole = Math.floor(value);
  return [whole, Math.round((value - whole) * 1000) * 1_000_000];
}

/** An assembler with a recording sink, fed by short calls: `scene.at(1, 'pre_tool_call', { … })`. */
export class Scene {
  readonly sink = new RecordingSink();
  readonly assembler: Assembler;

  constructor(limits: Partial<AssemblyLimits> = {}) {
    this.assembler = new Assembler(this.sink, limits);
  }

  /** One hook call at a second. The producer is `p` unless `meta` says otherwise. */
  at(second: number, hook: string, payload: Payload = {}, meta: SceneMeta = {}): this {
    const { producer = 'p', seq, profile, traceContext } = meta;
    this.assembler.handle(payload, new HookMeta(hook, seconds(second), producer, seq, traceContext, profile));
    return this;
  }

  /** Ends the scene as the end of a replay does. */
  close(reason?: IncompleteReason): this {
    this.assembler.closeAll(reason);
    if (this.sink.breaches.length > 0) throw new Error(this.sink.breaches.join('; '));
    if (this.assembler.openSpans !== 0) throw new Error(`${this.assembler.openSpans} spans are open after closeAll`);
    return this;
  }

  /** Started spans of a kind, in order. */
  all<Kind extends AnyNode['kind']>(kind: Kind): NodeOf<Kind>[] {
    return this.sink.started.filter((node) => node.kind === kind) as NodeOf<Kind>[];
  }

  /** The span of a kind, which must be the only one. */
  one<Kind extends AnyNode['kind']>(kind: Kind): NodeOf<Kind> {
    return this.nth(kind, 0, 1);
  }

  /** One of exactly `count` spans of a kind. */
  nth<Kind extends AnyNode['kind']>(kind: Kind, index: number, count: number): NodeOf<Kind> {
    const all = this.all(kind);
    const node = all[index];
    if (all.length !== count || node === undefined) {
      throw new Error(`expected ${count} ${kind} spans, got ${all.length}`);
    }
    return node;
  }

  /** The link a root started with. */
  linkOf(node: AnyNode): NodeLink | undefined {
    return this.sink.links.get(node);
  }

  get stats() {
    return this.assembler.stats;
  }
}
