import type { Invocation, TurnScope } from '../assembly/invocation.js';
import type { AnyNode, RequestNode, ToolNode } from '../assembly/span-node.js';
import { KeySpanIds } from './key-span-ids.js';
import { hashParts, spanId } from './span-id.js';

type Kind = AnyNode['kind'];

/** What ids begin with after trace id, kind and scope, by kind; kept on the scope they belong to. Two kinds have nearly all spans. */
class Seeds {
  readonly traceId: string;
  tool: KeySpanIds | undefined = undefined;
  request: KeySpanIds | undefined = undefined;
  others: Map<Kind, KeySpanIds> | undefined = undefined;

  constructor(traceId: string) {
    this.traceId = traceId;
  }
}

function seedOf(traceId: string, kind: Kind, scope: TurnScope, { kind: of, trace }: Invocation): KeySpanIds {
  // Roots that name nothing share a scope, and below one caller a trace as well: their source tells them apart.
  if (of === 'stray' && trace.caller !== undefined) return new KeySpanIds(traceId, kind, trace.source, false);
  return seed(traceId, kind, scope);
}

function seed(traceId: string, kind: Kind, scope: TurnScope): KeySpanIds {
  let seeds = scope.idSeeds as Seeds | undefined;
  // A producer's stray spans share a scope over many traces.
  if (seeds === undefined || seeds.traceId !== traceId) {
    seeds = new Seeds(traceId);
    scope.idSeeds = seeds;
  }
  if (kind === 'tool') {
    seeds.tool ??= newSeed(traceId, kind, scope);
    return seeds.tool;
  }
  if (kind === 'request') {
    seeds.request ??= newSeed(traceId, kind, scope);
    return seeds.request;
  }
  seeds.others ??= new Map();
  let from = seeds.others.get(kind);
  if (from === undefined) {
    from = newSeed(traceId, kind, scope);
    seeds.others.set(kind, from);
  }
  return from;
}

const newSeed = (traceId: string, kind: Kind, { ofChild, id }: TurnScope) => new KeySpanIds(traceId, kind, id, ofChild);

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
      return seedOf(traceId, 'request', node.scope, invocation).spanId(node.requestId ?? '', ordinal);
    case 'auxiliary': {
      const key = node.requestId ?? node.auxTask ?? '';
      return seedOf(traceId, 'auxiliary', node.scope, invocation).spanId(key, ordinal);
    }
    case 'tool': {
      const from = seedOf(traceId, 'tool', node.scope, invocation);
      if (node.callId !== undefined) return from.spanId(node.callId, ordinal);
      return spanId(from.state, '', node.name ?? '', ordinal);
    }
    case 'approval': {
      const key = hashParts([node.callId ?? ''], seedOf(traceId, 'approval', node.scope, invocation).state);
      return spanId(key, node.surface ?? '', node.patternKey ?? '', ordinal);
    }
    case 'human_input': {
      const from = seedOf(traceId, 'human_input', invocation.base, invocation);
      if (node.requestId !== undefined) return from.spanId(node.requestId, ordinal);
      return spanId(from.state, '', node.inputKind ?? '', ordinal);
    }
  }
}

/** Key of the nodes that nearly all are, whose ids are all of one part and can be made whenever they are asked for. */
export function lateKeyOf(node: AnyNode): string | undefined {
  if (node.kind === 'tool') return node.callId;
  return node.kind === 'request' ? node.requestId : undefined;
}

/** What makes the id of a node with such a key: `seed.spanId(key, node.ordinal)` is `nodeId(node)`. */
export function lateSeedOf(node: ToolNode | RequestNode, traceId: string): KeySpanIds {
  return seedOf(traceId, node.kind, node.scope, node.invocation);
}
