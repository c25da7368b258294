import { type ChildProcess, spawn } from 'node:child_process';

export interface ProcessRun {
  /** Program and arguments, as they are. Nothing is interpolated. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  /** Milliseconds. */
  readonly timeoutMs: number;
  /** Bytes of each of its two outputs. */
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
}

/** How a process ended by itself. */
export interface ProcessEnd {
  /** `null`: a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process that was not let end, or never began. `timeout` where it was late. */
export class ProcessFailure extends Error {
  readonly kind: 'spawn' | 'timeout' | 'output' | 'aborted';
  constructor(kind: ProcessFailure['kind'], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ProcessFailure';
    this.kind = kind;
  }
}

/** How long outputs may stay open behind the end of a process, in grandchildren that have them. */
const LINGER_MS = 200;

/** Processes at once: an agent may make many calls, and each would start one. */
const MOST_AT_ONCE = 32;
let running = 0;
const queue: (() => void)[] = [];

/**
 * Runs a process to its end, after others where 32 run already; the time for it goes on meanwhile. It leads a group of its own, and the whole group is killed when it is late, writes too much, or
 * ends: nothing that it started goes on. Rejects with a `ProcessFailure`.
 */
export async function runProcess(run: ProcessRun): Promise<ProcessEnd> {
  const began = performance.now();
  if (running < MOST_AT_ONCE) running++;
  // Whoever ends hands its place over.
  else await new Promise<void>((resolve) => queue.push(resolve));
  try {
    const timeoutMs = Math.ceil(run.timeoutMs - (performance.now() - began));
    if (timeoutMs <= 0) throw new ProcessFailure('timeout', `it was not begun within ${run.timeoutMs} ms`);
    return await start({ ...run, timeoutMs });
  } finally {
    const next = queue.shift();
    if (next === undefined) running--;
    else next();
  }
}

function start(run: ProcessRun): Promise<ProcessEnd> {
  return new Promise((resolve, reject) => {
    const [program, ...args] = run.argv;
    let child: ChildProcess;
    try {
      child = spawn(program, args, { cwd: run.cwd, env: run.env, stdio: 'pipe', detached: true, shell: false });
    } catch (cause) {
      reject(new ProcessFailure('spawn', `it cannot be started: ${(cause as Error).message}`, cause));
      return;
    }
    let ended: Pick<ProcessEnd, 'code' | 'signal'> | undefined;
    const stop = (failure: ProcessFailure | undefined) => {
      clearTimeout(timer);
      run.signal?.removeEventListener('abort', onAbort);
      killGroup(child);
      for (const stream of child.stdio) stream?.destroy();
      if (failure !== undefined) reject(failure);
      else if (ended !== undefined) resolve({ ...ended, stdout: stdout.text(), stderr: stderr.text() });
    };
    const onAbort = () => stop(new ProcessFailure('aborted', 'nobody waits for it any more'));
    const timer = setTimeout(
      () => stop(new ProcessFailure('timeout', `it took longer than ${run.timeoutMs} ms`)),
      run.timeoutMs,
    );
    const tooMuch = () => stop(new ProcessFailure('output', `it wrote more than ${run.maxBytes} bytes`));
    const stdout = collect(child.stdout, run.maxBytes, tooMuch);
    const stderr = collect(child.stderr, run.maxBytes, tooMuch);
    run.signal?.addEventListener('abort', onAbort, { once: true });
    if (run.signal?.aborted === true) return onAbort();
    child.on('error', (cause) => stop(new ProcessFailure('spawn', `it cannot be started: ${cause.message}`, cause)));
    child.on('exit', (code, signal) => {
      ended = { code, signal };
      // Grandchildren may keep the outputs open for ever.
      setTimeout(() => stop(undefined), LINGER_MS).unref();
    });
    child.on('close', () => stop(undefined));
    // It need not read what it is given.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(run.input);
  });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nobody is left in it.
  }
}

function collect(stream: NodeJS.ReadableStream | null, maxBytes: number, tooMuch: () => void): { text(): string } {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream?.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) tooMuch();
    else chunks.push(chunk);
  });
  stream?.on('error', () => undefined);
  return { text: () => Buffer.concat(chunks).toString() };
}
