import { join, resolve } from 'node:path';
import { Redactor, snapshot } from '@hermes-observer/core';
import { frozenCopy } from '../../call/canonical.js';
import { checkFields, configError } from '../../hooks/config-error.js';
import type { Answered, Conclusion, HookContext, PolicyHook } from '../../hooks/hook.js';
import { BuiltinHook, type BuiltinSettings, choiceOf, positiveOf } from '../builtin-hook.js';
import { HEAD } from './audit-files.js';
import { type AuditFields, type AuditKey, checkKey, hashOf } from './audit-line.js';
import { AuditWriter } from './audit-writer.js';

export interface AuditLogOptions extends BuiltinSettings {
  /** Folder of the log. Made if it is not there, for its user alone. */
  readonly folder: string;
  /** `digest`: names, ids and digests. `redacted`: arguments, results and reasons as well, without secrets. @default 'digest' */
  readonly content?: 'digest' | 'redacted' | undefined;
  /** Where it is noted how far the log has come: best on another disk, or where agents cannot write. @default `head` in the folder */
  readonly head?: string | undefined;
  /** A secret of at least 32 bytes. Without it, who may write to the folder can make the whole log anew. */
  readonly key?: AuditKey;
  /** A further file begins at this size. @default 64 MiB */
  readonly maxFileBytes?: number | undefined;
  /** Told of what was repaired. @default a warning of the process */
  readonly onWarning?: ((text: string) => void) | undefined;
}

const OPTIONS = ['folder', 'content', 'head', 'key', 'maxFileBytes', 'onWarning'];
const SHOWN = { bytes: 64 * 1024, string: 16 * 1024 };
/** Behind other hooks, so that it notes the result that the model gets. */
const LATE = 1000;

/**
 * Writes down what was decided about each call before it runs, what people answered, and how it ended: NDJSON, each line chained to the one before
 * by its hash, each on disk before the call goes on. A call that cannot be written down is blocked. `verifyAudit` reads it.
 */
export class AuditLog {
  /** For `PreToolUse` and for `PostToolUse`: register both. */
  readonly hooks: readonly PolicyHook[];
  readonly #writer: AuditWriter;
  readonly #redactor: Redactor | undefined;
  readonly #key: AuditKey;

  private constructor(options: AuditLogOptions, writer: AuditWriter, content: 'digest' | 'redacted') {
    this.#writer = writer;
    this.#key = options.key;
    this.#redactor = content === 'redacted' ? new Redactor() : undefined;
    this.hooks = [
      new DecisionHook(
        options,
        (context, conclusion) => this.#append(this.#decision(context, conclusion)),
        (context, answer) => this.#append(this.#answer(context, answer)),
        () => this.close(),
      ),
      new ResultHook(options, (context) => this.#append(this.#result(context))),
    ];
  }

  /**
   * Opens the log. An entry that a crash left unfinished is cut, which is said and noted.
   * @throws ObserverError `HO_POLICY_CONFIG`; `HO_POLICY_AUDIT`: another process has it, the disk refuses, or entries were
   * changed or are gone.
   */
  static async open(options: AuditLogOptions): Promise<AuditLog> {
    checkFields(
      options,
      ['name', 'priority', 'matcher', 'mode', 'onError', 'timeoutMs', 'exemptRoles', 'version', ...OPTIONS],
      'AuditLog',
    );
    if (typeof options.folder !== 'string' || options.folder === '') throw configError('AuditLog needs a `folder`.');
    const folder = resolve(options.folder);
    const content = choiceOf(options.content ?? 'digest', ['digest', 'redacted'], '`content` of AuditLog');
    const writer = await AuditWriter.open({
      folder,
      head: options.head === undefined ? join(folder, HEAD) : resolve(options.head),
      key: checkKey(options.key),
      maxBytes: positiveOf(options.maxFileBytes ?? 64 * 1024 * 1024, '`maxFileBytes` of AuditLog'),
      onWarning: options.onWarning ?? ((text) => process.emitWarning(text)),
    });
    return new AuditLog(options, writer, content);
  }

  close(): Promise<void> {
    return this.#writer.close();
  }

  #append(fields: AuditFields): Promise<void> {
    return this.#writer.append(fields);
  }

  #decision(context: HookContext, { outcome, kind, reason, by }: Conclusion): AuditFields {
    return {
      kind: 'decision',
      ...idsOf(context),
      digest: context.digest || undefined,
      outcome,
      block_kind: kind,
      by,
      ...(this.#redactor === undefined ? {} : { reason: this.#shown(reason), arguments: this.#shown(context.args) }),
    };
  }

  #answer(context: HookContext, answer: Answered): AuditFields {
    const { outcome, kind, reason, approvalId, rememberedId, approver, approverRef } = answer;
    return {
      kind: 'answer',
      ...idsOf(context),
      digest: context.digest || undefined,
      outcome,
      answer_kind: kind,
      approval_id: approvalId,
      remembered_id: rememberedId,
      approver,
      approver_ref: approverRef,
      ...(this.#redactor === undefined ? {} : { reason: this.#shown(reason) }),
    };
  }

  #result(context: HookContext): AuditFields {
    const { json } = frozenCopy(context.result, 'result');
    return {
      kind: 'result',
      ...idsOf(context),
      status: context.status,
      error_type: context.errorType,
      duration_ms: context.durationMs,
      result_sha256: json === undefined ? undefined : hashOf(json, this.#key),
      ...(this.#redactor === undefined ? {} : { result: this.#shown(context.result) }),
    };
  }

  #shown(value: unknown): unknown {
    return value === undefined ? undefined : this.#redactor?.value(snapshot(value, SHOWN));
  }
}

function idsOf(context: HookContext): Record<string, unknown> {
  return {
    decision_id: context.decisionId,
    tool: context.tool,
    call_id: context.callId,
    session_id: context.sessionId,
    turn_id: context.turnId,
    task_id: context.taskId || undefined,
    agent: context.agent || undefined,
    child_roles: context.childRoles.length > 0 ? context.childRoles : undefined,
    user: context.user || undefined,
    platform: context.platform || undefined,
    evaluation: context.evaluation || undefined,
  };
}

class DecisionHook extends BuiltinHook {
  readonly learnsApprover = true;
  readonly #note: (context: HookContext, conclusion: Conclusion) => Promise<void>;
  readonly #noteAnswer: (context: HookContext, answer: Answered) => Promise<void>;
  readonly #end: () => Promise<void>;

  constructor(
    options: AuditLogOptions,
    note: (context: HookContext, conclusion: Conclusion) => Promise<void>,
    noteAnswer: (context: HookContext, answer: Answered) => Promise<void>,
    end: () => Promise<void>,
  ) {
    super('AuditLog', 'PreToolUse', options, OPTIONS);
    this.#note = note;
    this.#noteAnswer = noteAnswer;
    this.#end = end;
  }

  execute(): undefined {
    return undefined;
  }

  concluded(context: HookContext, conclusion: Conclusion): Promise<void> {
    return this.#note(context, conclusion);
  }

  answered(context: HookContext, answer: Answered): Promise<void> {
    return this.#noteAnswer(context, answer);
  }

  close(): Promise<void> {
    return this.#end();
  }
}

class ResultHook extends BuiltinHook {
  readonly #note: (context: HookContext) => Promise<void>;

  constructor(options: AuditLogOptions, note: (context: HookContext) => Promise<void>) {
    super('AuditLog', 'PostToolUse', { priority: LATE, ...options }, OPTIONS);
    this.#note = note;
  }

  async execute(context: HookContext): Promise<undefined> {
    await this.#note(context);
    return undefined;
  }
}
