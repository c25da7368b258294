import { readFileSync, readlinkSync } from 'node:fs';

/** Which process of which machine, so that another one can tell whether it is still there. Empty where not known. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it was started, in ticks since the boot: pids are used again, with another start. Linux only. */
  readonly start: string;
  /** The boot of the machine. Linux only. */
  readonly boot: string;
  /** The pid namespace. In another one, the same pid is another process. Linux only. */
  readonly space: string;
}

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, start: startOf(process.pid), boot: bootId(), space: pidSpace() };
}

/** Whether that process runs; `unknown` for one in another pid namespace, whose pids mean nothing here. */
export function stateOf(other: ProcessIdentity): 'alive' | 'gone' | 'unknown' {
  if (other.boot !== bootId()) return 'gone';
  if (other.space !== pidSpace()) return 'unknown';
  try {
    process.kill(other.pid, 0);
  } catch (error) {
    // It is there, and another user's.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return 'gone';
  }
  return other.start === startOf(other.pid) ? 'alive' : 'gone';
}

function startOf(pid: number): string {
  const stat = read(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  // The second field is the name of the program, which may hold blanks and brackets. The start is the 22nd.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // One that was killed and that nobody waited for still has its pid.
  return fields[0] === 'Z' ? 'ended' : (fields[19] ?? '');
}

function bootId(): string {
  return read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim());
}

function pidSpace(): string {
  return read(() => readlinkSync('/proc/self/ns/pid'));
}

function read(source: () => string): string {
  try {
    return source();
  } catch {
    return '';
  }
}
