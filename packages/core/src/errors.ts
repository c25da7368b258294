/**
 * Every error of the project has a code from this table. Codes are stable; each has a row in `docs/errors.md`
 * (cause, what to do), which a test keeps in step.
 */
export const ERROR_CODES = [
  'HO_RECORD_NOT_JSON',
  'HO_RECORD_SHAPE',
  'HO_RECORD_TOO_LONG',
  'HO_HOOK_NAME',
  'HO_CALLBACK',
  'HO_PLUGIN_NAME',
  'HO_PLUGIN_SETUP',
  'HO_PEER_MISSING',
  'HO_OPTION',
  'HO_INPUT_UNREADABLE',
  'HO_OUTPUT_UNWRITABLE',
  'HO_RECORDS_MALFORMED',
  'HO_EXPORT_FAILED',
  'HO_INTERNAL',
  'HO_TOOL_BLOCKED',
  'HO_STORE_LOCKED',
  'HO_STORE_FULL',
  'HO_STORE_FAILED',
  'HO_STORE_BUSY',
  'HO_STORE_CLOSED',
  'HO_STORE_DAMAGED',
  'HO_STORE_GONE',
  'HO_SERVICE_STOPPING',
  'HO_CONFIG_FILE',
  'HO_CONFIG_KEY',
  'HO_CONFIG_VALUE',
  'HO_LISTEN_FAILED',
  'HO_SERVICE_RUNNING',
  'HO_SERVICE_BUSY',
  'HO_REQUEST',
  'HO_REQUEST_FORBIDDEN',
  'HO_REQUEST_TOO_LARGE',
  'HO_INSTALL',
  'HO_POLICY_STORE',
  'HO_POLICY_CONFIG',
  'HO_POLICY_BLOCKED',
  'HO_POLICY_AUDIT',
  'HO_POLICY_CHANNEL',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

const MARKER = Symbol.for('@hermes-observer/error');

/** Base of all errors thrown on purpose. `message` names the place and the mend in one line. */
export class ObserverError extends Error {
  readonly code: ErrorCode;
  readonly [MARKER] = true;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'ObserverError';
    this.code = code;
  }

  /** True for an error of any copy of this package, unlike `instanceof`. */
  static isInstance(value: unknown): value is ObserverError {
    return typeof value === 'object' && value !== null && (value as { [MARKER]?: unknown })[MARKER] === true;
  }
}
