import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A port of the loopback interface that nobody listens on, for each name. All are different. */
export async function freePorts<Name extends string>(names: readonly Name[]): Promise<Record<Name, string>> {
  const servers = names.map(() => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => String((server.address() as AddressInfo).port));
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return Object.fromEntries(names.map((name, i) => [name, ports[i]])) as Record<Name, string>;
}
