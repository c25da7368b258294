import type { ApprovalsPort } from '../approvals/approvals-port.js';
import { checkFields, configError, kindOf } from '../hooks/config-error.js';
import type { HookEvent, HookMode, PolicyHook } from '../hooks/hook.js';
import type { ReportSink } from './report.js';

export interface PolicyOptions {
  readonly hooks: readonly PolicyHook[];
  /** Brings questions to people. @default none: a call that needs a person is blocked */
  readonly approvals?: ApprovalsPort | undefined;
  /** Of all hooks: `observe` reports what they say and does nothing of it. @default 'enforce' */
  readonly mode?: HookMode | undefined;
  /** The policy judges an evaluation, not an agent at work: all rules hold, and what would ask a person is denied, or allowed. @default not */
  readonly evaluation?: { readonly asks: 'deny' | 'allow' } | undefined;
  /** Shown as the responder's name, and before a gate of its own. @default 'policy' */
  readonly name?: string | undefined;
  /** Where reports go. @default nowhere; an attached hub gets those of its own calls */
  readonly report?: ReportSink | undefined;
  /** Makes references to approvers the same in every process that has it. @default a random one, of this policy alone */
  readonly approverSalt?: string | undefined;
  /** Told what a hook or the store of approvals failed with. @default a warning of the process, once for each hook and kind */
  readonly onFailure?: ((failure: PolicyFailure) => void) | undefined;
}

/** Something that could not decide. `error` is what was thrown: its text may quote what it was given. */
export interface PolicyFailure {
  /** Name of the hook; `''` for the store of approvals. */
  readonly gate: string;
  readonly event: HookEvent;
  readonly kind: 'hook_error' | 'hook_timeout';
  readonly error: unknown;
}

const FIELDS: readonly (keyof PolicyOptions)[] = [
  'hooks',
  'approvals',
  'mode',
  'evaluation',
  'name',
  'report',
  'approverSalt',
  'onFailure',
];

/** Throws `HO_POLICY_CONFIG`. */
export function checkOptions(options: PolicyOptions): void {
  checkFields(options, FIELDS, 'The options of a policy');
  const { mode, evaluation, name, approvals, report } = options;
  if (mode !== undefined && mode !== 'enforce' && mode !== 'observe') {
    throw configError(`\`mode\` of a policy must be \`enforce\` or \`observe\`, got ${kindOf(mode)}.`);
  }
  if (evaluation !== undefined) {
    const { asks } = checkFields(evaluation, ['asks'], '`evaluation` of a policy');
    if (asks !== 'deny' && asks !== 'allow') throw configError('`evaluation.asks` must be `deny` or `allow`.');
  }
  if (name !== undefined && (typeof name !== 'string' || name === ''))
    throw configError('`name` of a policy must be a text.');
  if (approvals !== undefined && typeof approvals?.request !== 'function')
    throw configError('`approvals` of a policy has no `request`.');
  if (report !== undefined && typeof report?.report !== 'function')
    throw configError('`report` of a policy has no `report`.');
}
