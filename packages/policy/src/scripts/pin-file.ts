import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { configError } from '../hooks/config-error.js';

/**
 * Digests of commands that were accepted, by the name of the hook: a JSON object. What is not in it is accepted when it is
 * first seen, at the start. Keep it where the agent cannot write: who deletes a line has the next state accepted.
 */
export class PinFile {
  readonly path: string;
  readonly #named: string;
  #turn: Promise<unknown> = Promise.resolve();

  /** @param named the file that a person is told to change, where `path` is a copy of it */
  constructor(path: string, named: string = path) {
    this.path = path;
    this.#named = named;
  }

  /**
   * Throws `HO_POLICY_CONFIG` where another digest was accepted, and says what to do.
   * @param first whether one that is not known may be accepted now.
   */
  check(name: string, digest: string, first: boolean): Promise<void> {
    const done = this.#turn.then(() => this.#check(name, digest, first));
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #check(name: string, digest: string, first: boolean): Promise<void> {
    const pins = await this.#read();
    const accepted = Object.hasOwn(pins, name) ? pins[name] : undefined;
    if (accepted === digest) return;
    if (accepted !== undefined || !first)
      throw changed(name, `delete the line \`${name}\` in ${this.#named} and start again`);
    await this.#write({ ...pins, [name]: digest });
  }

  async #read(): Promise<Record<string, unknown>> {
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return {};
      throw configError(`Cannot read the accepted commands in ${this.path}.`, cause);
    }
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    } catch {
      // As any other text that is no object.
    }
    throw configError(`${this.path} is not the JSON object of accepted commands that it has to be.`);
  }

  /** Whole or not at all. */
  async #write(pins: Record<string, unknown>): Promise<void> {
    const temporary = `${this.path}.${randomBytes(6).toString('hex')}`;
    try {
      await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
      const file = await open(temporary, 'wx', 0o600);
      try {
        await file.writeFile(`${JSON.stringify(pins, null, 2)}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, this.path);
    } catch (cause) {
      await unlink(temporary).catch(() => undefined);
      throw configError(`Cannot write the accepted commands to ${this.path}.`, cause);
    }
  }
}

export const changed = (name: string, mend: string): Error =>
  configError(
    `The command of hook \`${name}\` is not the one that was accepted: its words or its files have changed. Look at what changed; to accept it, ${mend}.`,
  );
