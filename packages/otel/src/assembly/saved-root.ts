import { type AnyNode, TurnNode } from './span-node.js';
import type { SpanSink } from './span-sink.js';
import type { RootContext } from './trace.js';

/** Makes a root that is opened again in a recovery what it was: records of other traces had their part in that. */
export function restoreRoot(node: AnyNode, saved: RootContext, sink: SpanSink): void {
  (node as { ordinal: number }).ordinal = saved.ordinal;
  node.invocation.trace.missingBefore = saved.missingBefore;
  if (node.kind === 'turn' && saved.turnKind !== undefined) {
    node.turnKind = saved.turnKind;
    node.invocation.turnKind = saved.turnKind;
  }
  if (node.kind !== 'turn' && node.kind !== 'child') return;
  const { link } = saved;
  if (link === undefined) {
    node.link = undefined;
    return;
  }
  const to = new TurnNode(node.invocation, undefined, node.start, undefined, undefined, 0);
  to.span = sink.restore?.(link.to);
  node.link = { to, relation: link.relation };
}
