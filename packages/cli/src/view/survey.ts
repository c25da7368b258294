import { compareTime, type HrTime } from '@hermes-observer/core';
import { type Role, roleOf } from './role.js';
import { Totals } from './totals.js';
import type { TraceTree, TreeNode } from './tree.js';

/** A trace and what is to be known of it as a whole before a line of it can be written. */
export interface SurveyedTrace {
  readonly tree: TraceTree;
  readonly roles: ReadonlyMap<TreeNode, Role>;
  readonly totals: Totals;
  /** What each child agent came to, its own children included, without itself. */
  readonly children: ReadonlyMap<TreeNode, Totals>;
  /** Start of the root, which offsets count from. */
  readonly start: HrTime;
  /** The earliest start and the latest time of any span. */
  readonly first: HrTime;
  readonly last: HrTime;
}

export function survey(tree: TraceTree): SurveyedTrace {
  const roles = new Map<TreeNode, Role>();
  const children = new Map<TreeNode, Totals>();
  /** The child agent that each span belongs to. */
  const owners = new Map<TreeNode, TreeNode>();
  const totals = new Totals();
  const start = tree.roots[0]?.row.start ?? [0, 0];
  let first = start;
  let last = start;
  for (const node of tree.nodes) {
    const { row, parent } = node;
    const role = roleOf(row);
    roles.set(node, role);
    totals.add(row, role);
    if (compareTime(row.start, first) < 0) first = row.start;
    if (compareTime(row.end ?? row.start, last) > 0) last = row.end ?? row.start;
    const owner = parent === undefined ? undefined : children.has(parent) ? parent : owners.get(parent);
    if (owner !== undefined) {
      owners.set(node, owner);
      children.get(owner)?.add(row, role);
    }
    if (role === 'child') children.set(node, new Totals());
  }
  // Parents stand before their children, so from the end each one is complete when its parent takes it in.
  for (const [node, own] of [...children].reverse()) {
    const owner = owners.get(node);
    if (owner !== undefined) children.get(owner)?.include(own);
  }
  return { tree, roles, totals, children, start, first, last };
}
