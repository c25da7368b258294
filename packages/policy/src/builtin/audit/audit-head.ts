import { type FileHandle, open } from 'node:fs/promises';
import { type AuditKey, auditError, type ChainPoint, hashOf } from './audit-line.js';

const SLOT_BYTES = 256;

/**
 * How far an audit log has come, beside it: two slots that are written in turn, so that one is whole after a crash. Without
 * it nobody could tell that a log was cut at its end.
 */
export class AuditHead {
  readonly #file: FileHandle;
  readonly #key: AuditKey;
  /** Writes so far: the slot that was written last counts, also where it says less. */
  #writes: number;

  private constructor(file: FileHandle, key: AuditKey, writes: number) {
    this.#file = file;
    this.#key = key;
    this.#writes = writes;
  }

  /** Makes it, for a log that begins. Rejects where it is there already. */
  static async create(path: string, start: ChainPoint, key: AuditKey): Promise<AuditHead> {
    const head = new AuditHead(await open(path, 'wx+', 0o600), key, 0);
    await head.write(start);
    return head;
  }

  /** `undefined`: there is none. Rejects with `HO_POLICY_AUDIT` where no slot of it is good. */
  static async open(
    path: string,
    key: AuditKey,
  ): Promise<{ readonly head: AuditHead; readonly point: ChainPoint } | undefined> {
    let file: FileHandle;
    try {
      file = await open(path, 'r+');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    const slots = readSlots(await file.readFile('latin1'), key).sort((a, b) => b.writes - a.writes);
    const [newest] = slots;
    if (newest === undefined) {
      await file.close();
      throw auditError(`${path} is no head of an audit log, was changed, or has another key.`);
    }
    return { head: new AuditHead(file, key, newest.writes), point: { n: newest.n, hash: newest.hash } };
  }

  /** Resolves when it is on disk. */
  async write({ n, hash }: ChainPoint): Promise<void> {
    const body = JSON.stringify({ n, hash, writes: this.#writes + 1 });
    const slot = `${body} ${hashOf(`head ${body}`, this.#key)}`.padEnd(SLOT_BYTES - 1);
    await this.#file.write(`${slot}\n`, (this.#writes % 2) * SLOT_BYTES, 'latin1');
    await this.#file.datasync();
    this.#writes++;
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

interface Slot extends ChainPoint {
  readonly writes: number;
}

function readSlots(text: string, key: AuditKey): Slot[] {
  return [text.slice(0, SLOT_BYTES), text.slice(SLOT_BYTES, 2 * SLOT_BYTES)].flatMap((slot) => {
    const [, body, hash] = /^(\{"n":\d+,"hash":"[0-9a-f]{64}","writes":\d+\}) ([0-9a-f]{64}) *\n$/.exec(slot) ?? [];
    return body === undefined || hashOf(`head ${body}`, key) !== hash ? [] : [JSON.parse(body) as Slot];
  });
}
