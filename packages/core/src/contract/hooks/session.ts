import type * as z from 'zod';
import { hook, id, text } from './fields.js';
import { model, platform, sessionId } from './identity.js';

const oldSessionId = id('Session that ended. Sent by gateways only; null when there was none.');
const newSessionId = id('Session that takes its place. Sent by gateways only; null when there is none.');

export const onSessionStart = hook(
  'The agent built the system prompt of a session. First turn of a new session, and again whenever the prompt is rebuilt (model switch, `/retry`), so it may repeat. Never sent for resumed sessions; may be dropped when calls overlap. Carries no turn.',
  { session_id: sessionId, model, platform },
);
export type OnSessionStart = z.infer<typeof onSessionStart>;

export const onSessionFinalize = hook(
  'A session is over: `/new`, quit, shutdown, expiry. Not sent for child agents, cron, the API server or ACP. Events of the session may still come after it.',
  {
    session_id: sessionId,
    platform,
    reason: text('Why the session ended. Absent on the terminal UI.', [
      'session_boundary',
      'shutdown',
      'new_session',
      'session_expired',
    ]),
    old_session_id: oldSessionId,
    new_session_id: newSessionId,
  },
);
export type OnSessionFinalize = z.infer<typeof onSessionFinalize>;

export const onSessionReset = hook(
  'A new session took the place of an old one. The terminal UI sends it at each session it creates.',
  {
    session_id: id('The new session.'),
    platform,
    reason: text('Why the session was replaced. Absent on the terminal UI.', ['new_session']),
    old_session_id: oldSessionId,
    new_session_id: newSessionId,
  },
);
export type OnSessionReset = z.infer<typeof onSessionReset>;
