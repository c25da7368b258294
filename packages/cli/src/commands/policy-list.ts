import { createPolicy, verifyAudit, visibleLine } from '@hermes-observer/policy';
import { openDry, type PolicyPlan } from '@hermes-observer/policy/config';
import type { Command } from 'commander';
import { EXIT_INCOMPLETE, EXIT_OK } from './console.js';
import { carryOut, type PolicyCommandOptions, policyCommand, policySetting, print } from './policy-setting.js';
import type { Host } from './program.js';

/** Sets up `policy list`. */
export function definePolicyList(parent: Command, host: Host): void {
  const command = policyCommand(parent, 'list', 'hooks in the order in which they run, and channels');
  command.action((options: PolicyCommandOptions) =>
    carryOut(host, command, async () => {
      const plan = await (await policySetting(options)).plan();
      const listed = await listOf(plan);
      for (const warning of plan.warnings) process.stderr.write(`hermes-observer: ${warning}\n`);
      print(options.json, listed, () => listText(listed));
      return EXIT_OK;
    }),
  );
}

type Listed = Awaited<ReturnType<typeof listOf>>;

async function listOf(plan: PolicyPlan) {
  const dry = await openDry(plan, { hasScripts: true });
  try {
    const { mode = 'enforce', evaluation, store } = plan.values;
    const matches = new Map(plan.hooks.map(({ event, name, entry }) => [`${event} ${name}`, entry.match]));
    const kinds = new Map(
      plan.hooks.map((hook) => [`${hook.event} ${hook.name}`, hook.kind === 'use' ? hook.builtin.use : hook.kind]),
    );
    return {
      name: plan.name,
      file: plan.document.file,
      mode,
      evaluation: evaluation ?? null,
      state: plan.state,
      store: store === undefined ? 'file' : (Object.keys(store)[0] ?? 'file'),
      channels: plan.channels.map(({ name, kind }) => ({ name, kind })),
      hooks: createPolicy({ hooks: dry.hooks }).hooks.map(({ name, event, priority, mode: own, onError, version }) => ({
        ...{ event, name, priority, mode: own, on_error: onError, version: version ?? null },
        kind: kinds.get(`${event} ${name}`) ?? 'AuditLog',
        match: shown(matches.get(`${event} ${name}`)),
      })),
    };
  } finally {
    await dry.close();
  }
}

/** A matcher as text: a regular expression has none in JSON. */
function shown(match: object | undefined): unknown {
  if (match === undefined) return null;
  return JSON.parse(JSON.stringify(match, (_, value: unknown) => (value instanceof RegExp ? String(value) : value)));
}

function listText({ name, file, mode, evaluation, channels, store, hooks }: Listed): string {
  const lines = hooks.map((hook) => {
    const match = hook.match === null ? 'all calls' : JSON.stringify(hook.match);
    const said = [
      hook.mode === 'observe' ? 'only observes' : '',
      hook.on_error === 'allow' ? 'allows what it cannot decide' : '',
    ];
    const more = said.filter((text) => text !== '').map((text) => `; ${text}`);
    return visibleLine(
      `  ${hook.event.padEnd(12)} ${String(hook.priority).padStart(5)}  ${hook.name}${hook.kind === hook.name ? '' : ` (${hook.kind})`}: ${match}${more.join('')}`,
    );
  });
  const asks =
    channels.length === 0
      ? 'none: a call that needs a person is blocked'
      : channels.map((one) => (one.name === one.kind ? one.name : `${one.name} (${one.kind})`)).join(', ');
  const regime = evaluation === null ? mode : `${mode}, evaluation: ${evaluation}`;
  return `${visibleLine(`${name} (${file}): ${regime}`)}\n${lines.join('\n')}\nchannels: ${asks}\napprovals: in a store of kind ${store}\n`;
}

/** Sets up `policy verify-audit`. */
export function defineVerifyAudit(parent: Command, host: Host): void {
  const command = policyCommand(
    parent,
    'verify-audit',
    'find entries of audit logs that were changed, added or are missing',
  );
  command
    .argument('[folder]', 'of a log (default: all that the policy names)')
    .option('--head <path>', 'where it is noted how far the log of the folder has come')
    .option('--key-variable <name>', 'variable that has the key of the log of the folder')
    .action((folder: string | undefined, options: PolicyCommandOptions & { head?: string; keyVariable?: string }) =>
      carryOut(host, command, async (console) => {
        const key = options.keyVariable === undefined ? undefined : process.env[options.keyVariable];
        const audits =
          folder === undefined
            ? (await (await policySetting(options)).plan()).audits
            : [{ name: folder, folder, head: options.head, key }];
        if (audits.length === 0) console.note('the policy has no audit log');
        const results: Verified[] = [];
        for (const { name, folder: place, head, key: secret } of audits) {
          const result = await verifyAudit(place, { key: secret, ...(head === undefined ? {} : { head }) });
          results.push({ name, folder: place, ...result });
        }
        print(options.json, results, () => results.map(verifiedText).join(''));
        return results.every(({ ok }) => ok) ? EXIT_OK : EXIT_INCOMPLETE;
      }),
    );
}

type Verified = { readonly name: string; readonly folder: string } & Awaited<ReturnType<typeof verifyAudit>>;

function verifiedText({ folder, ok, entries, last, unfinished, problems }: Verified): string {
  const state = ok
    ? `whole: ${entries} entries, the last ${last.n} with hash ${last.hash}`
    : `NOT WHOLE: ${entries} good entries`;
  const torn = unfinished === 0 ? '' : `  ${unfinished} bytes of an entry that was not finished\n`;
  const lines = problems.map(({ file, line, what }) =>
    visibleLine(`  ${file}${line === 0 ? '' : `:${line}`}: ${what}`),
  );
  return `${visibleLine(`${folder}: ${state}`)}\n${torn}${lines.length === 0 ? '' : `${lines.join('\n')}\n`}`;
}
