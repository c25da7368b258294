import { createInterface } from 'node:readline/promises';
import { ObserverError } from '@hermes-observer/core';
import { type Command, Option } from 'commander';
import type { ApprovalSource } from '../policy/approval-source.js';
import { approvalText, endedText, pendingText, rememberedText } from '../policy/approval-text.js';
import { EXIT_INCOMPLETE, EXIT_OK } from './console.js';
import { approvalSource, carryOut, type PolicyCommandOptions, policyCommand, print } from './policy-setting.js';
import type { Host } from './program.js';

type Fields = Readonly<Record<string, unknown>>;

interface AnswerOptions extends PolicyCommandOptions {
  readonly comment?: string;
  readonly digest?: string;
  readonly remember?: 'session' | 'arguments';
}

/** Sets up `policy pending`, `approve`, `deny`, `remembered` and `revoke`. */
export function defineAnswers(parent: Command, host: Host): void {
  const pending = policyCommand(parent, 'pending', 'requests that wait for an answer; with an id, all of one');
  pending.argument('[id]', 'of a request').action((id: string | undefined, options: PolicyCommandOptions) =>
    carryOut(host, pending, async (console) => {
      const source = await approvalSource(options, console);
      if (id !== undefined) {
        const approval = await found(source, id);
        print(options.json, approval, () => approvalText(approval));
        return EXIT_OK;
      }
      const answer = await source.operate({ action: 'pending' });
      const list = answer.pending as readonly Fields[];
      print(options.json, answer, () => pendingText(list, Number(answer.total), Date.now()));
      return EXIT_OK;
    }),
  );
  const approve = policyCommand(parent, 'approve', 'approve a request, after all of its arguments are shown');
  approve
    .argument('<id>', 'of the request')
    .option('--digest <sha256>', 'digest of what you have looked at, instead of being asked')
    .option('--comment <text>', 'a word for the agent')
    .addOption(
      new Option('--remember <scope>', 'also for further calls, as long as the policy lets').choices([
        'session',
        'arguments',
      ]),
    )
    .action((id: string, options: AnswerOptions) =>
      carryOut(host, approve, (console) => decide(console.note, id, 'approve', options, host, approve)),
    );
  const deny = policyCommand(parent, 'deny', 'refuse a request');
  deny
    .argument('<id>', 'of the request')
    .option('--comment <text>', 'why, for the agent')
    .action((id: string, options: AnswerOptions) =>
      carryOut(host, deny, (console) => decide(console.note, id, 'reject', options, host, deny)),
    );
  const remembered = policyCommand(parent, 'remembered', 'answers that hold for further calls');
  remembered.action((options: PolicyCommandOptions) =>
    carryOut(host, remembered, async (console) => {
      const answer = await (await approvalSource(options, console)).operate({ action: 'remembered' });
      print(options.json, answer.remembered, () => rememberedText(answer.remembered as readonly Fields[]));
      return EXIT_OK;
    }),
  );
  const revoke = policyCommand(parent, 'revoke', 'forget such an answer');
  revoke.argument('<id>', 'of the remembered answer').action((id: string, options: PolicyCommandOptions) =>
    carryOut(host, revoke, async (console) => {
      const { revoked } = await (await approvalSource(options, console)).operate({ action: 'revoke', remembered: id });
      print(options.json, { revoked }, () => (revoked === true ? 'revoked\n' : 'there is no such answer in force\n'));
      return revoked === true ? EXIT_OK : EXIT_INCOMPLETE;
    }),
  );
}

async function decide(
  note: (text: string) => void,
  id: string,
  choice: 'approve' | 'reject',
  options: AnswerOptions,
  { createConsole }: Host,
  command: Command,
): Promise<number> {
  const source = await approvalSource(options, createConsole(command));
  const approval = await found(source, id);
  if (options.json !== true && approval.state === 'pending') process.stdout.write(approvalText(approval));
  if (approval.state !== 'pending') {
    const text = endedText(approval);
    print(options.json, { ok: false, text, state: approval.state }, () => `${text}\n`);
    return EXIT_INCOMPLETE;
  }
  if (choice === 'approve' && options.digest === undefined && !(await isAgreed())) {
    note('nothing was decided');
    return EXIT_INCOMPLETE;
  }
  const remember = options.remember === undefined ? undefined : { scope: options.remember, ms: 366 * 86_400_000 };
  const digest = options.digest ?? approval.digest;
  const outcome = await source.operate({
    action: 'decide',
    approval: id,
    digest,
    choice,
    comment: options.comment,
    remember,
  });
  print(options.json, outcome, () => `${String(outcome.text)}\n`);
  return outcome.ok === true ? EXIT_OK : EXIT_INCOMPLETE;
}

async function found(source: ApprovalSource, id: string): Promise<Fields> {
  const approval = await source.get(id);
  if (approval === undefined) throw new ObserverError('HO_OPTION', `there is no request ${id.slice(0, 64)}`);
  return approval;
}

/** @throws ObserverError `HO_OPTION` where nobody can be asked. */
async function isAgreed(): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new ObserverError(
      'HO_OPTION',
      'nothing was decided, since nobody can be asked: --digest says what you have looked at',
    );
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question('Approve exactly this? (yes/no) ')).trim());
  } finally {
    terminal.close();
  }
}
