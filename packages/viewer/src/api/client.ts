import type { HealthAnswer } from './health-answer.js';
import type { SpanAnswer } from './span-answer.js';
import type { PackedTurn, TurnAnswer } from './turn-answer.js';
import type { ApprovalsAnswer, TurnList } from './turn-row.js';
import { unpackTurn } from './unpack-turn.js';

/** What the service answered in place of what was asked for; `status` is 0 when it did not answer. */
export class ApiError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const path = (...parts: string[]): string => parts.map(encodeURIComponent).join('/');

/** @throws ApiError */
async function ask(url: string, init: RequestInit = {}): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(url, { credentials: 'same-origin', ...init });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError(0, 'The service does not answer. Is `hermes-observer serve` running?');
  }
  if (response.ok) return response.json();
  throw new ApiError(response.status, await messageOf(response));
}

async function messageOf(response: Response): Promise<string> {
  if (response.status === 401) return 'This page lost its access. Run `hermes-observer view` to open it again.';
  try {
    const { error } = (await response.json()) as { error?: { message?: string } };
    if (error?.message) return error.message;
  } catch {
    // Not JSON: the number says enough.
  }
  return response.status === 404
    ? 'It is not here any more, or never was.'
    : `The service answered ${response.status}.`;
}

export function fetchTurns(query: URLSearchParams, signal?: AbortSignal): Promise<TurnList> {
  return ask(`/api/turns?${query}`, signal === undefined ? {} : { signal }) as Promise<TurnList>;
}

export async function fetchTurn(trace: string): Promise<TurnAnswer> {
  return unpackTurn((await ask(`/api/turns/${path(trace)}?packed=1`)) as PackedTurn);
}

/** @param isWhole texts of any length as they are */
export function fetchSpan(trace: string, span: string, isWhole = false): Promise<SpanAnswer> {
  return ask(`/api/turns/${path(trace, 'spans', span)}${isWhole ? '?whole=1' : ''}`) as Promise<SpanAnswer>;
}

export function fetchHealth(): Promise<HealthAnswer> {
  return ask('/api/health') as Promise<HealthAnswer>;
}

export function fetchApprovals(): Promise<ApprovalsAnswer> {
  return ask('/api/approvals') as Promise<ApprovalsAnswer>;
}

/** Forgets a session, in memory and in history. @returns how many turns are gone. */
export async function deleteSession(session: string): Promise<number> {
  const { turns } = (await ask(`/api/sessions/${path(session)}`, { method: 'DELETE' })) as { turns?: number };
  return turns ?? 0;
}

export const recordsPath = (trace: string): string => `/api/turns/${path(trace, 'records')}`;
