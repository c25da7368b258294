import { argsDigest } from '../call/digest.js';
import type { RememberWish } from '../channels/base-channel.js';
import type { Approval, Decider } from './approval.js';
import type { ApprovalRequest } from './approvals-port.js';
import { type IsRequester, mayDecide } from './may-decide.js';
import { faultOfPattern, isCovered } from './pattern.js';
import type { Remembered } from './remembered.js';
import { randomToken } from './token.js';

/** A hook by its name and version: an answer to one version answers no other. */
const gateKeys = (gates: Approval['gates']) =>
  gates.map(({ name, version }) => (version === undefined ? name : `${name}@${version}`));

/** Why an answer cannot be remembered as it is wished for; `undefined` where it can. */
export function faultOfWish(approval: Approval, { scope, ms, pattern }: RememberWish): string | undefined {
  const { remember } = approval;
  if (remember === null || !remember.scopes.includes(scope)) return 'An answer to this cannot be remembered like that.';
  if (!(ms > 0)) return 'It is not said for how long the answer is to be remembered.';
  if (scope === 'session' && approval.sessionId === '')
    return 'The session is not known, so nothing is remembered for it.';
  if (scope !== 'pattern') return undefined;
  const fault = pattern === undefined ? 'none was given' : faultOfPattern(pattern);
  if (fault !== undefined) return `The pattern cannot be used: ${fault}.`;
  const args: unknown = JSON.parse(approval.args);
  return isCovered(args, args, pattern ?? {}) ? undefined : 'The pattern does not match what is approved here.';
}

/** The entry that a wish makes: never longer than the hooks allow. */
export function rememberedOf(approval: Approval, wish: RememberWish, decider: Decider, now: number): Remembered {
  const { scope, ms, pattern = {} } = wish;
  return {
    id: randomToken(),
    scope,
    gates: gateKeys(approval.gates),
    tool: approval.tool,
    agent: approval.agent,
    user: approval.user,
    sessionId: scope === 'session' ? approval.sessionId : '',
    argsDigest: scope === 'arguments' ? argsDigest(approval.tool, approval.args) : '',
    pattern: scope === 'pattern' ? pattern : {},
    args: scope === 'pattern' ? approval.args : '',
    decider,
    approvalId: approval.id,
    createdAt: now,
    expiresAt: now + Math.min(ms, approval.remember?.maxMs ?? 0),
  };
}

/** Whether an answer holds for a request, by the terms of the request as they are now. */
export function holdsFor(entry: Remembered, request: ApprovalRequest, now: number, isRequester: IsRequester): boolean {
  const { remember, gates } = request;
  if (remember === null || !remember.scopes.includes(entry.scope)) return false;
  if (entry.expiresAt <= now || entry.createdAt + remember.maxMs <= now) return false;
  if (entry.tool !== request.tool || entry.agent !== request.agent || entry.user !== request.user) return false;
  if (!gateKeys(gates).every((gate) => entry.gates.includes(gate))) return false;
  if (mayDecide(request, entry.decider, 'approve', isRequester) !== undefined) return false;
  switch (entry.scope) {
    case 'session':
      return entry.sessionId !== '' && entry.sessionId === request.sessionId;
    case 'arguments':
      return entry.argsDigest === request.argsDigest;
    case 'pattern':
      return isCovered(JSON.parse(entry.args), JSON.parse(request.args), entry.pattern);
    default:
      return false;
  }
}
