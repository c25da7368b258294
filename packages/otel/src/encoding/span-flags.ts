const HAS_IS_REMOTE = 0x100;
const IS_REMOTE = 0x200;

/** The flags of the trace, and whether the parent (or the linked span) is of another process. */
export function spanFlags(traceFlags: number, isRemote: boolean | undefined): number {
  return (traceFlags & 0xff) | HAS_IS_REMOTE | (isRemote ? IS_REMOTE : 0);
}
