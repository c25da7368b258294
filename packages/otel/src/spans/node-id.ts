import type { Invocation, TurnScope } from '../assembly/invocation.js';
import type { AnyNode, RequestNode, ToolNode } from '../assembly/span-node.js';
import { requests } from '../attributes/repeated-labels.js';
import { type HashState, hashParts, hashText, spanId } from './span-id.js';

/** Hash states after trace id, kind and scope, by kind; kept on the scope they belong to. */
type Seeds = { [kind in AnyNode['kind']]?: HashState } & { traceId: string; afterId?: HashState };

function seedOf(traceId: string, kind: AnyNode['kind'], scope: TurnScope, { kind: of, trace }: Invocation): HashState {
  // Roots that name nothing share a scope, and below one caller a trace as well: their source tells them apart.
  if (of === 'stray' && trace.caller !== undefined) return hashParts([traceId, kind, trace.source]);
  return seed(traceId, kind, scope);
}

function seed(traceId: string, kind: AnyNode['kind'], scope: TurnScope): HashState {
  let seeds = scope.idSeeds as Seeds | undefined;
  // A producer's stray spans share a scope over many traces.
  if (seeds === undefined || seeds.traceId !== traceId) {
    seeds = { traceId };
    scope.idSeeds = seeds;
  }
  let from = seeds[kind];
  if (from === undefined) {
    from = hashParts(scope.ofChild ? [traceId, kind, '', scope.id] : [traceId, kind, scope.id]);
    seeds[kind] = from;
  }
  return from;
}

/**
 * The span id of a node. Key parts by kind (`scope` is the turn id; for what names no turn of a child two parts, empty
 * and the child's key):
 *
 * | kind | parts |
 * | --- | --- |
 * | turn | turn_id |
 * | child | child_session_id; without one: empty, child_subagent_id |
 * | request | scope, api_request_id |
 * | auxiliary | scope, api_request_id, else aux_task |
 * | tool | scope, tool_call_id; without one: scope, empty, tool_name |
 * | approval | scope, tool_call_id, surface, pattern_key |
 * | human_input | scope, request_id; without one: scope, empty, kind |
 */
export function nodeId(node: AnyNode, traceId: string): string {
  const { invocation, ordinal } = node;
  switch (node.kind) {
    case 'turn':
      return spanId(hashParts([traceId, 'turn']), invocation.id, undefined, ordinal);
    case 'child':
      return invocation.sessions.length > 0
        ? spanId(hashParts([traceId, 'child']), invocation.id, undefined, ordinal)
        : spanId(hashParts([traceId, 'child']), '', invocation.id, ordinal);
    case 'request':
      return spanId(requestSeed(traceId, node), node.requestId ?? '', undefined, ordinal);
    case 'auxiliary': {
      const key = node.requestId ?? node.auxTask ?? '';
      return spanId(seedOf(traceId, 'auxiliary', node.scope, invocation), key, undefined, ordinal);
    }
    case 'tool': {
      const from = seedOf(traceId, 'tool', node.scope, invocation);
      if (node.callId !== undefined) return spanId(from, node.callId, undefined, ordinal);
      return spanId(from, '', node.name ?? '', ordinal);
    }
    case 'approval': {
      const key = hashParts([node.callId ?? ''], seedOf(traceId, 'approval', node.scope, invocation));
      return spanId(key, node.surface ?? '', node.patternKey ?? '', ordinal);
    }
    case 'human_input': {
      const from = seedOf(traceId, 'human_input', invocation.base, invocation);
      if (node.requestId !== undefined) return spanId(from, node.requestId, undefined, ordinal);
      return spanId(from, '', node.inputKind ?? '', ordinal);
    }
  }
}

/** Agents make a request id of the turn's and a number: the part that all requests of a turn share is hashed once. */
function requestSeed(traceId: string, { requestId, turnId, scope, invocation }: RequestNode): HashState {
  const from = seedOf(traceId, 'request', scope, invocation);
  const seeds = scope.idSeeds as Seeds | undefined;
  if (seeds?.request !== from || turnId !== scope.id || !requests.wasCounted(requestId, scope.id)) return from;
  seeds.afterId ??= hashText(scope.id, from);
  return seeds.afterId;
}

/** Key of the nodes that nearly all are, whose ids are all of one part and can be made whenever they are asked for. */
export function lateKeyOf(node: AnyNode): string | undefined {
  if (node.kind === 'tool') return node.callId;
  return node.kind === 'request' ? node.requestId : undefined;
}

/** What makes the id of a node with such a key: `seed.spanId(key, node.ordinal)` is `nodeId(node)`. */
export function lateSeedOf(node: ToolNode | RequestNode, traceId: string): HashState {
  if (node.kind === 'tool') return seedOf(traceId, 'tool', node.scope, node.invocation);
  return requestSeed(traceId, node);
}
