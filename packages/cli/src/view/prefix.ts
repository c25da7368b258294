import type { TreeNode } from './tree.js';

/** The lines of the tree before a span's name, for at most `mostDepth` levels: above that the depth is a number. */
export function branchPrefix(node: TreeNode, mostDepth: number): string {
  if (node.depth === 0) return '';
  return stem(node.parent, mostDepth - 1) + (node.isLast ? '└─ ' : '├─ ');
}

/** The same before a line that belongs to a span. */
export function notePrefix(node: TreeNode, mostDepth: number): string {
  return `${stem(node, mostDepth)}${node.children.length > 0 ? '│  ' : '   '}`;
}

function stem(node: TreeNode | undefined, levels: number): string {
  let text = '';
  let left = levels;
  let at = node;
  for (; at !== undefined && at.depth > 0; at = at.parent) {
    if (left-- <= 0) return `…${at.depth} ${text}`;
    text = (at.isLast ? '   ' : '│  ') + text;
  }
  return text;
}
