import { describe, it } from 'vitest';

/** Tests that need something of the machine; one that says what is missing in their place. `.ci/run` fails on a skip without a reason. */
export function describeWhere(missing: string | undefined, name: string, tests: () => void): void {
  if (missing === undefined) {
    describe(name, tests);
    return;
  }
  it(name, (context) => {
    Object.assign(context.task.meta, { skipReason: missing });
    context.skip(missing);
  });
}
