import type { SettingValues } from './settings.js';

type HttpSettings = Pick<SettingValues, 'http.enabled' | 'http.host' | 'http.port'>;

/** `host:port` under which a service with these settings takes spans. None where the system chooses the port. */
export function ownAddresses(values: HttpSettings): string[] {
  const { 'http.enabled': isOn, 'http.host': host, 'http.port': port } = values;
  return isOn && port !== 0 ? [`${host}:${port}`, `localhost:${port}`] : [];
}

/** Whether spans that go to `url` go to one of these, each `host:port`. */
export function leadsTo(addresses: readonly string[], url: string): boolean {
  const place = placeOf(url);
  return place !== undefined && addresses.some((address) => placeOf(`http://${address}`) === place);
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0|\[::\])$/;

/** Host and port, all names of this machine's own address being one. */
function placeOf(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname, port } = new URL(address);
  const name = LOOPBACK.test(hostname.toLowerCase()) ? 'localhost' : hostname.toLowerCase();
  return `${name}:${port || (protocol === 'https:' ? '443' : '80')}`;
}
