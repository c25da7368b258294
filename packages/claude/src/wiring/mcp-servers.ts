import type { AdapterHost, Guard, ScopeStore } from '@hermes-observer/adapter';
import type { ClaudeRun } from '../agent/run.js';
import { fieldsOf } from '../sdk/fields.js';
import { originalOf, standsIn } from './stand-ins.js';

interface McpWiring {
  readonly host: AdapterHost;
  readonly isOfQuery: boolean;
  readonly source: { ofCall(callId: unknown): ClaudeRun | undefined };
  readonly guard: Guard;
  readonly scopes: ScopeStore;
}

interface Transport {
  onmessage?: ((message: unknown, extra?: unknown) => unknown) | undefined;
}

interface Instance {
  connect(transport: Transport): Promise<void>;
}

const CALL_ID = 'claudecode/toolUseId';

/** Servers of the program's own process whose tools run in the scope of their call. The others are as they were. */
export function observedServers(servers: unknown, wiring: McpWiring): unknown {
  if (typeof servers !== 'object' || servers === null) return servers;
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => {
      const { type, instance } = fieldsOf(server);
      if (type !== 'sdk' || typeof (instance as Instance | undefined)?.connect !== 'function') return [name, server];
      const observed = { ...server, instance: observedInstance(instance as Instance, wiring) };
      standsIn(observed, { original: server, host: wiring.host, isOfQuery: wiring.isOfQuery });
      return [name, observed];
    }),
  );
}

export function plainServers(servers: unknown, host: AdapterHost): unknown {
  if (typeof servers !== 'object' || servers === null) return servers;
  return Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, originalOf(server, host)]));
}

/** The server's own object, but for how it is connected. */
function observedInstance(instance: Instance, wiring: McpWiring): Instance {
  const connect = (transport: Transport) => {
    const connected = instance.connect(transport);
    wiring.guard.safely(() => inScopeOfCalls(transport, wiring));
    return connected;
  };
  return new Proxy(instance, {
    get(target, name) {
      if (name === 'connect') return connect;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** The server listens already: what it hears of a call, it hears in the scope of that. */
function inScopeOfCalls(transport: Transport, { source, guard, scopes }: McpWiring): void {
  const heard = transport.onmessage;
  if (heard === undefined) return;
  transport.onmessage = function (this: unknown, ...args) {
    const scope = guard.safely(() => {
      const { method, params } = fieldsOf(args[0]);
      const callId = method === 'tools/call' ? fieldsOf(fieldsOf(params)._meta)[CALL_ID] : undefined;
      return callId === undefined ? undefined : source.ofCall(callId)?.scopeOf(callId);
    });
    return scopes.run(scope, () => heard.apply(this, args));
  };
}
