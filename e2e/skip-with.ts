import type { TestContext } from 'vitest';

/** Skips a test with a reason that is printed and stands in the reports; `.ci/run` fails on a skip without one. */
export function skipWith(context: TestContext, reason: string): never {
  Object.assign(context.task.meta, { skipReason: reason });
  console.log(`skipped: ${context.task.name}: ${reason}`);
  return context.skip(reason);
}
