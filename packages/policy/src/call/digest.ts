import { sha256 } from './sha256.js';
import type { ToolCall } from './tool-call.js';

/** What a digest is of, beside the arguments. */
export type DigestedCall = Pick<ToolCall, 'tool' | 'agent' | 'sessionId' | 'callId'>;

/**
 * SHA-256 in hex of a call: tool, agent, session, call id and canonical arguments. What a person approved and what is about
 * to run are the same if and only if it is the same.
 */
export function callDigest(call: DigestedCall, argsJson: string): string {
  // JSON keeps the parts apart: no name can reach into the next.
  return sha256(
    `hermes-policy-call/1\n${JSON.stringify([call.tool, call.agent ?? '', call.sessionId, call.callId])}\n${argsJson}`,
  );
}

/** SHA-256 in hex of tool and canonical arguments alone: the same in every session. */
export function argsDigest(tool: string, argsJson: string): string {
  return sha256(`hermes-policy-args/1\n${JSON.stringify(tool)}\n${argsJson}`);
}
