// Where the time of a turn went: each instant belongs to the span that held everything up. For the dev server only.

/** Part of a span's own time. 0 model, 1 tools, 2 human, 3 children, 4 waiting, 5 agent. */
function partOf(kind, inChild) {
  if (kind === 5 || kind === 6) return 2;
  if (inChild || kind === 1) return 3;
  return kind === 2 || kind === 3 ? 0 : kind === 4 ? 1 : 5;
}

/** @param nodes `{ kind, start, end, children: [index] }`, times in ns from the start of the trace. */
export function criticalPath(nodes, from, to) {
  const segments = [];
  const stack = [{ index: 0, from, to, inChild: false }];
  const order = nodes.map((node) => [...node.children].sort((a, b) => nodes[b].end - nodes[a].end));
  while (stack.length > 0) {
    const { index, from: low, to: high, inChild } = stack.pop();
    const { kind } = nodes[index];
    const below = inChild || kind === 1;
    let cursor = high;
    const own = (a, b) => b > a && segments.push([index, a, b, partOf(kind, below)]);
    for (const child of order[index]) {
      const { start, end } = nodes[child];
      if (start >= cursor || end <= low) continue;
      const till = Math.min(end, cursor);
      own(till, cursor);
      cursor = Math.max(start, low);
      stack.push({ index: child, from: cursor, to: till, inChild: below });
      if (cursor <= low) break;
    }
    own(low, cursor);
  }
  segments.sort((a, b) => a[1] - b[1]);
  const names = ['model', 'tools', 'human', 'children', 'waiting', 'agent'];
  const parts = Object.fromEntries(names.map((name) => [name, 0]));
  for (const [, a, b, part] of segments) parts[names[part]] += b - a;
  return { parts, segments };
}
