// Spans of a trace to the columns and the row that the service answers with. For the dev server only.
import { criticalPath } from './critical-path.mjs';

function kindOf(span) {
  const a = span.attributes;
  if (span.name.startsWith('approval')) return 5;
  if (span.name.startsWith('human_input')) return 6;
  if (a['gen_ai.operation.name'] === 'chat') return a['hermes.aux.task'] === undefined ? 2 : 3;
  if (a['gen_ai.operation.name'] === 'execute_tool') return 4;
  if (a['gen_ai.operation.name'] === 'invoke_agent') return a['hermes.turn.outcome'] || a['hermes.turn.kind'] ? 0 : 1;
  return 7;
}

const statusOf = (span) => span.attributes['hermes.tool.status'];

function flagsOf(span, rootEnd) {
  const a = span.attributes;
  let flags = 0;
  if (span.status.code === 2) flags |= 1;
  if (statusOf(span) === 'blocked' || a['hermes.approval.choice'] === 'deny') flags |= 2;
  if (statusOf(span) === 'cancelled' || a['hermes.subagent.status'] === 'interrupted') flags |= 4;
  if (statusOf(span) === 'timeout' || a['hermes.subagent.status'] === 'timeout') flags |= 8;
  if (span.end === null) flags |= 16;
  if (a['hermes.incomplete']) flags |= 32;
  if ((a['hermes.api.attempts'] ?? 1) > 1) flags |= 64;
  if (span.end !== null && rootEnd !== null && span.end > rootEnd) flags |= 128;
  if (span.end !== null && span.end < span.start) flags |= 256;
  return flags;
}

function whyOf(span) {
  const result = span.attributes['gen_ai.tool.call.result'];
  if (result === undefined) return span.status.message;
  try {
    return JSON.parse(result).error ?? result;
  } catch {
    return result;
  }
}

function labelOf(span, kind) {
  const a = span.attributes;
  if (statusOf(span) === 'blocked') return whyOf(span);
  if (span.status.code === 2) return [a['error.type'], a['http.response.status_code']].filter(Boolean).join(' ');
  if (kind === 5) return a['hermes.approval.choice'];
  if (kind === 6) return a['hermes.human_input.outcome'];
  if (kind === 3) return a['hermes.aux.task'];
  if (kind === 1) return a['gen_ai.agent.id'];
  return undefined;
}

const excerptOf = (span) => {
  try {
    return JSON.parse(span.attributes['gen_ai.input.messages'])[0].parts[0].content.slice(0, 200);
  } catch {
    return null;
  }
};

/** @returns `{ row, columns, byId }` */
export function describeTrace(spans, now = BigInt(Date.now()) * 1_000_000n) {
  const ids = new Set(spans.map(({ id }) => id));
  // biome-ignore lint/complexity/useMathMinMax: these are BigInt
  const base = spans.reduce((least, { start }) => (start < least ? start : least), spans[0].start);
  const childrenOf = new Map();
  const roots = [];
  for (const span of [...spans].sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0))) {
    if (span.parent !== null && ids.has(span.parent)) {
      const list = childrenOf.get(span.parent) ?? [];
      list.push(span);
      childrenOf.set(span.parent, list);
    } else roots.push(span);
  }
  const texts = [];
  const known = new Map();
  const text = (value) => {
    if (value === undefined || value === null || value === '') return -1;
    if (!known.has(value)) known.set(value, texts.push(String(value)) - 1);
    return known.get(value);
  };
  const columns = { id: [], parent: [], name: [], kind: [], start: [], end: [], flags: [], who: [], label: [] };
  const nodes = [];
  const rootEnd = roots[0].end;
  const stack = roots.map((span) => [span, -1]).reverse();
  while (stack.length > 0) {
    const [span, parent] = stack.pop();
    const index = columns.id.push(span.id) - 1;
    const kind = kindOf(span);
    const start = Number(span.start - base);
    columns.parent.push(parent);
    columns.name.push(text(span.name));
    columns.kind.push(kind);
    columns.start.push(start);
    columns.end.push(span.end === null ? -1 : Number(span.end - base));
    columns.flags.push(flagsOf(span, rootEnd));
    columns.who.push(text(span.attributes['hermes.tool.blocked_by'] ?? span.attributes['hermes.approval.decided_by']));
    columns.label.push(text(labelOf(span, kind)));
    nodes.push({ kind, start, end: Number((span.end ?? now) - base), children: [] });
    if (parent >= 0) nodes[parent].children.push(index);
    for (const child of (childrenOf.get(span.id) ?? []).reverse()) stack.push([child, index]);
  }
  const path = criticalPath(nodes, nodes[0].start, nodes[0].end);
  return {
    row: rowOf(spans, roots[0], columns),
    base: String(base),
    texts,
    spans: columns,
    path,
    links: linksOf(roots[0]),
    incomplete: [],
  };
}

function linksOf(root) {
  return root.links.map(({ trace, span, attributes }) => ({
    relation: attributes['hermes.link'] ?? 'link',
    trace,
    span,
  }));
}

function rowOf(spans, root, { kind, flags }) {
  const a = root.attributes;
  const count = (test) => kind.reduce((sum, one, index) => sum + (test(one, flags[index]) ? 1 : 0), 0);
  const sum = (name) => {
    const values = spans.map((span) => span.attributes[name]).filter((value) => typeof value === 'number');
    return values.length === 0 ? null : values.reduce((total, value) => total + value, 0);
  };
  const blocked = spans.filter((span) => statusOf(span) === 'blocked');
  return {
    trace: root.trace,
    session: a['gen_ai.conversation.id'] ?? null,
    turn: a['hermes.turn.id'] ?? null,
    name: root.name,
    agent: a['gen_ai.agent.name'] ?? null,
    model: spans.find((span) => span.attributes['gen_ai.request.model'])?.attributes['gen_ai.request.model'] ?? null,
    service: root.resource['service.name'] ?? null,
    start: String(root.start),
    duration: root.end === null ? null : Number(root.end - root.start),
    outcome: root.end === null ? 'running' : (a['hermes.turn.outcome'] ?? (root.status.code === 2 ? 'error' : 'ok')),
    tokens: {
      input: sum('gen_ai.usage.input_tokens'),
      cached: sum('gen_ai.usage.cache_read.input_tokens'),
      output: sum('gen_ai.usage.output_tokens'),
    },
    requests: count((one) => one === 2),
    tools: count((one) => one === 4),
    errors: count((_, flag) => flag & 1),
    blocked: blocked.length,
    cancelled: count((_, flag) => flag & 4),
    children: count((one) => one === 1),
    spans: spans.length,
    blockedCalls: blocked.slice(0, 3).map((span) => ({
      span: span.id,
      name: span.attributes['gen_ai.tool.name'] ?? span.name,
      by: span.attributes['hermes.tool.blocked_by'] ?? null,
      why: whyOf(span) ?? null,
    })),
    waitingCalls: [],
    waitsForHuman: spans.some((span) => span.end === null && /^(approval|human_input)/.test(span.name)),
    excerpt: excerptOf(root),
  };
}
