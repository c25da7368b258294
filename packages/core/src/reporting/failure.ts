/** What is known of something thrown. */
export interface Failure {
  /**
   * The HTTP status of an answer that said it failed; else the code of the system (`ECONNREFUSED`), its own or the one of what
   * caused it; else the name of its class; else `_OTHER`. The same failure has the same type whoever throws it on.
   */
  readonly type: string;
  readonly message: string | undefined;
  /** Its `status` or `statusCode`, where that is an HTTP status. */
  readonly statusCode: number | undefined;
  /** The work was called off: the signal is aborted, or the error is an `AbortError`. No fault, then. */
  readonly aborted: boolean;
}

/** Names under which runtimes and model SDKs report an abort of the caller's own. */
const ABORTS: ReadonlySet<string> = new Set(['AbortError', 'APIUserAbortError']);
/** Names under which they report that time ran out. */
const TIMEOUTS: ReadonlySet<unknown> = new Set(['TimeoutError', 'APIConnectionTimeoutError']);
const NAME = /^[A-Za-z_$][\w.$]{0,127}$/;
/** Codes of the system, of the resolver, of `fetch` and of TLS. */
const CODE = /^(E[A-Z\d]{2,20}|(EAI|UND_ERR|ERR_TLS|ERR_SSL)_[A-Z\d_]{1,40}|[A-Z_]{0,40}CERT[A-Z_]{0,40})$/;
const MOST_CAUSES = 5;
/** Names that every error of a kind nobody named has. */
const PLAIN: ReadonlySet<string> = new Set(['Error', 'Object', 'Array']);

/** Reads what was thrown, whatever it is. Never throws. */
export function failureOf(error: unknown, signal: AbortSignal | undefined): Failure {
  const aborted = signal?.aborted === true;
  try {
    if (typeof error !== 'object' || error === null) {
      const message = typeof error === 'string' ? error : undefined;
      return { type: '_OTHER', message, statusCode: undefined, aborted };
    }
    const { name, message, status, statusCode } = error as Record<string, unknown>;
    const className = (error as { constructor?: { name?: unknown } }).constructor?.name;
    const code = httpStatus(status) ?? httpStatus(statusCode);
    const named = typeof name === 'string' && !PLAIN.has(name) ? name : className;
    return {
      type: TIMEOUTS.has(named)
        ? 'TimeoutError'
        : code !== undefined && code >= 400
          ? String(code)
          : (systemCode(error) ?? typeOf(named, code, error instanceof Error)),
      message: typeof message === 'string' ? message : undefined,
      statusCode: code,
      aborted: aborted || (typeof named === 'string' && ABORTS.has(named)),
    };
  } catch {
    return { type: '_OTHER', message: undefined, statusCode: undefined, aborted };
  }
}

function typeOf(name: unknown, status: number | undefined, isError: boolean): string {
  if (typeof name === 'string' && NAME.test(name) && !PLAIN.has(name)) return name;
  if (status !== undefined) return String(status);
  return isError ? 'Error' : '_OTHER';
}

function systemCode(error: unknown): string | undefined {
  let one = error as { code?: unknown; cause?: unknown } | undefined | null;
  for (let n = 0; n < MOST_CAUSES && typeof one === 'object' && one !== null; n++, one = one.cause as typeof one)
    if (typeof one.code === 'string' && CODE.test(one.code)) return one.code;
  return undefined;
}

function httpStatus(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 100 && value <= 599 ? value : undefined;
}
