// The real command in a real pseudo-terminal, and what it shows.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { COMMAND } from '../kill/serve-command.mjs';
import { eventually } from './scene.mjs';
import { TerminalScreen } from './terminal-screen.mjs';

const DRIVER = fileURLToPath(new URL('pseudo-terminal.py', import.meta.url));

export class PseudoTerminal {
  stops = 0;
  exit = undefined;
  /** All that was sent, as it came. */
  output = '';
  #child;
  #modes = [];

  /** @param args of the command. @param env variables of it. @param node arguments of Node.js */
  constructor(args, { columns = 80, rows = 24, env, node = [] }) {
    this.screen = new TerminalScreen(columns, rows);
    this.#child = spawn(
      'python3',
      [DRIVER, String(columns), String(rows), process.execPath, ...node, COMMAND, ...args],
      {
        env,
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    );
    process.once('exit', () => this.#child.kill('SIGKILL'));
    createInterface(this.#child.stdout).on('line', (line) => this.#take(JSON.parse(line)));
    this.#child.stdin.on('error', () => {});
  }

  #take({ pid, output, stopped, exit, modes }) {
    if (pid !== undefined) this.pid = pid;
    if (output !== undefined) {
      const bytes = Buffer.from(output, 'base64');
      this.output += bytes.toString('latin1');
      this.screen.push(bytes);
    }
    if (stopped) this.stops++;
    if (exit !== undefined) this.exit = { code: exit, modes };
    else if (modes !== undefined) this.#modes.shift()?.(modes);
  }

  #tell(wish) {
    this.#child.stdin.write(`${JSON.stringify(wish)}\n`);
  }

  press(keys) {
    this.#tell({ keys });
  }

  resize(columns, rows) {
    this.screen.resize(columns, rows);
    this.#tell({ size: [columns, rows] });
  }

  signal(name) {
    this.#tell({ signal: name });
  }

  /** How the terminal takes keys: `echo`, `lines`, `signals`. */
  modes() {
    return new Promise((resolve) => {
      this.#modes.push(resolve);
      this.#tell({ modes: true });
    });
  }

  /** Waits for a text on the screen. @returns whether it came, and in how many ms */
  async shows(pattern, millis = 10_000) {
    const began = performance.now();
    const isThere = () =>
      typeof pattern === 'string' ? this.screen.text.includes(pattern) : pattern.test(this.screen.text);
    await eventually(`${pattern}`, isThere, millis).catch(() => undefined);
    return isThere() ? performance.now() - began : undefined;
  }

  /** Waits for the end. */
  async ended(millis = 10_000) {
    await eventually('the command ends', () => this.exit !== undefined, millis).catch(() => undefined);
    return this.exit;
  }

  /** For who is done. */
  close() {
    this.#child.stdin.end();
  }
}
