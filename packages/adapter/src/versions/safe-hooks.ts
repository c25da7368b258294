/** Releases from which on hooks of both kinds get along: before, a program that has the other kind too does not start. */
const SAFE: Readonly<Record<number, readonly [minor: number, patch: number]>> = {
  22: [22, 3],
  24: [11, 1],
  25: [1, 0],
};

/** Whether module hooks can run in the program's own thread (`registerHooks`), whatever other hooks it has. @param version of Node.js */
export function hasSafeHooks(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (major > 25) return true;
  const from = SAFE[major];
  return from !== undefined && (minor > from[0] || (minor === from[0] && patch >= from[1]));
}
