import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand, TOP } from '../run-command.js';
import type { AgentRelease } from './scenarios.js';

const PLUGIN = join(TOP, 'integrations/hermes-agent/hermes_observer_forwarder');
const SANDBOX = join(TOP, 'e2e/agent/sandbox.sh');

/** A real Hermes Agent in a virtual environment, whose scenarios run in a sandbox. */
export class Agent {
  readonly #venv: string;

  private constructor(venv: string) {
    this.#venv = venv;
  }

  /** Installs the release into `cache`, unless it is there. @throws Error with what pip said. */
  static async install({ version, requirements }: AgentRelease, cache: string): Promise<Agent> {
    const venv = join(cache, 'agents', version);
    const done = join(venv, 'installed.json');
    if (!existsSync(done)) {
      mkdirSync(join(cache, 'agents'), { recursive: true });
      await must('python3', ['-m', 'venv', '--clear', venv]);
      const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
      await must(join(venv, 'bin/python'), [...pip, ...requirements]);
      writeFileSync(done, JSON.stringify(requirements));
    }
    return new Agent(venv);
  }

  /** The folder of its commands, `hermes` among them. */
  get bin(): string {
    return join(this.#venv, 'bin');
  }

  /**
   * Runs a scenario. `out` is the folder that agent and service share: `<scenario>.ndjson` is what another plugin recorded,
   * `run/observer.sock` the socket, `data` the data folder. @throws Error with what the scenario printed.
   */
  async run(scenario: string, out: string): Promise<void> {
    await this.runScript('scenarios.py', out, [scenario]);
  }

  /** Runs a program of `e2e/agent` as `run` does. */
  async runScript(script: string, out: string, args: readonly string[]): Promise<void> {
    await must('bash', [SANDBOX, this.#venv, out, PLUGIN, 'python3', `lab/${script}`, ...args]);
  }
}

async function must(command: string, args: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await runCommand(command, args);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: exit code ${code}\n${stdout}\n${stderr}`);
}

/** Why scenarios cannot run on this machine, if they cannot. */
export async function sandboxFault(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'the sandbox needs Linux';
  const root = process.getuid?.() === 0 ? [] : ['-r'];
  const { code, stderr } = await runCommand('unshare', ['-n', '-m', '-u', ...root, 'true']).catch((error) => ({
    code: 1,
    stderr: String(error),
  }));
  return code === 0 ? undefined : `the sandbox needs root or user namespaces: ${stderr.trim()}`;
}
