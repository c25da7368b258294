import { type JsonValue, REDACTED, type Redactor } from '@hermes-observer/core';
import { sha256 } from '../call/sha256.js';
import type { ApprovalCard } from '../channels/base-channel.js';
import type { Approval } from './approval.js';
import { withHidden } from './hidden-text.js';

/** What people are shown of a request: all of it, with secrets masked. */
export interface Preview {
  /** Indented JSON. */
  readonly args: string;
  readonly title: string;
  readonly masked: number;
  /** SHA-256 in hex of tool, title and arguments as they are shown. */
  readonly digest: string;
}

export function previewOf(approval: Pick<Approval, 'tool' | 'title' | 'args'>, redactor: Redactor): Preview {
  const before = redactor.redactedValues;
  const args = JSON.stringify(shownArgs(approval.args, redactor), null, 2);
  const title = redactor.text(approval.title);
  const digest = sha256(JSON.stringify([approval.tool, title, args]));
  return { args, title, masked: redactor.redactedValues - before, digest };
}

/** An approval for whoever is no part of the decision: redacted, without hashes of tokens. */
export function redactedApproval(approval: Approval, redactor: Redactor): Approval {
  const { title, comment } = approval;
  const args = redactedArgs(approval.args, redactor);
  return { ...approval, args, title: redactor.text(title), comment: redactor.text(comment), tokenHashes: {} };
}

export function cardOf(
  approval: Approval,
  preview: Preview,
  redactor: Redactor,
  token: string,
  link: string | undefined,
): ApprovalCard {
  const { args, masked } = preview;
  return { approval: redactedApproval(approval, redactor), args, masked, link, token };
}

function shownArgs(args: string, redactor: Redactor): JsonValue {
  const value = JSON.parse(args) as JsonValue;
  return withHidden(value, redactor.value(value));
}

/** One that cannot be read must not hide the others of a list. */
function redactedArgs(args: string, redactor: Redactor): string {
  try {
    return JSON.stringify(shownArgs(args, redactor));
  } catch {
    return JSON.stringify(REDACTED);
  }
}
