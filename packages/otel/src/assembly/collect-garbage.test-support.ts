import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** Bytes of the heap that are in use, after a full collection. */
export async function usedHeap(): Promise<number> {
  await collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** Collects twice, with a pause in between for what only a new task lets go of (weak references, say). */
export async function collectGarbage(): Promise<void> {
  for (let i = 0; i < 2; i++) {
    await new Promise((done) => setTimeout(done, 0));
    gc();
  }
}
