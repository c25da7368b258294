import { connect } from 'node:net';
import { ObserverError } from '@hermes-observer/core';

type Fields = Readonly<Record<string, unknown>>;

const PATIENCE_MILLIS = 10_000;
const MOST_BYTES = 16 * 1024 * 1024;

/** One operation of the policy of the service at a socket. `undefined`: no service is there. @throws ObserverError what it says, or `HO_REQUEST`. */
export function operateService(path: string, operation: Fields): Promise<Fields | undefined> {
  return new Promise((resolve, reject) => {
    let text = '';
    let isConnected = false;
    const socket = connect(path);
    const settle = (end: () => void) => {
      socket.destroy();
      end();
    };
    const fail = (message: string) =>
      settle(() => reject(new ObserverError('HO_REQUEST', `the service at ${path} ${message}`)));
    socket.setEncoding('utf8');
    socket.setTimeout(PATIENCE_MILLIS, () => fail('does not answer'));
    socket.once('connect', () => {
      isConnected = true;
      socket.write(`${JSON.stringify({ ...operation, op: 'policy', id: 1 })}\n`);
    });
    socket.once('error', () => (isConnected ? fail('closed the connection') : settle(() => resolve(undefined))));
    socket.once('close', () => fail('closed the connection'));
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > MOST_BYTES) fail('gave an answer without an end');
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) {
        const told = parse(line);
        if (told?.id === 1 && isObject(told.policy)) {
          const { policy } = told;
          settle(() => resolve(policy));
          return;
        }
        if (isObject(told?.error) && told.error.line !== undefined) {
          const { code, message } = told.error;
          settle(() => reject(new ObserverError(code === 'HO_POLICY_STORE' ? code : 'HO_REQUEST', String(message))));
          return;
        }
      }
    });
  });
}

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

function parse(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
