import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CERTIFICATE, CERTIFICATE_KEY } from './certificate.test-support.js';
import { placeProblems } from './check-places.js';
import { loadConfig } from './load-config.js';
import { serviceOptions } from './service-options.js';

const folder = mkdtempSync(join(tmpdir(), 'places-'));
afterAll(() => rmSync(folder, { recursive: true }));
const put = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
put('file', 'x');

async function problemsOf(text: string, env: Record<string, string> = {}): Promise<string[]> {
  const path = put('c.yaml', text);
  const all = placeProblems(await loadConfig({ file: path, env: { HOME: folder, ...env }, cwd: folder }));
  for (const { code } of all) expect(code).toBe('HO_CONFIG_VALUE');
  return all.map(({ message }) => message.replaceAll(`${folder}/`, ''));
}

const withCa = (name: string) => `exporters: [{ name: a, url: "https://a", ca_file: ${name} }]\n`;

describe('files and folders that settings name', () => {
  it('may be missing where they are made', async () => {
    expect(await problemsOf('data: new/data\nexporters: [{ name: f, file: out.jsonl }]\n')).toEqual([]);
  });

  it.each([
    ['data: file\n', 'c.yaml:1: data cannot be used: file is no folder'],
    ['data: file/below\n', 'c.yaml:1: data cannot be used: file/below: a part of the path is no folder'],
    ['socket: file\n', 'c.yaml:1: socket cannot be made: file is there already and is no socket'],
    [
      'exporters: [{ name: f, file: nowhere/out }]\n',
      'c.yaml:1: file of exporter f cannot be made: there is no folder nowhere',
    ],
    [
      `exporters: [{ name: f, file: "${folder}" }]\n`,
      `c.yaml:1: file of exporter f cannot be used: ${folder} is no regular file`,
    ],
    [withCa('none.pem'), 'c.yaml:1: ca_file of exporter a cannot be read: there is no none.pem'],
    [withCa('.'), `c.yaml:1: ca_file of exporter a cannot be read: ${folder} is no regular file`],
    [
      withCa('file'),
      "c.yaml:1: ca_file of exporter a has no certificate in it: file; it must be PEM, '-----BEGIN CERTIFICATE-----' and so on",
    ],
  ])('are looked at: %s', async (text, problem) => {
    expect(await problemsOf(text)).toEqual([problem]);
  });

  it('are of one exporter each, however they are spelled', async () => {
    symlinkSync(folder, join(folder, 'link'));
    const two = (first: string, second: string) => `exporters: [{ name: a, ${first} }, { name: b, ${second} }]\n`;
    const problem = (path: string) => [
      `c.yaml:1: exporter b cannot write to ${path}: exporter a does; give it another one`,
    ];
    expect(await problemsOf(two('file: o', 'kind: atof, file: ./o'))).toEqual(problem('o'));
    expect(await problemsOf(two('kind: atif, folder: f', 'kind: atif, folder: link/f'))).toEqual(problem('link/f'));
    expect(await problemsOf(two('file: o', 'kind: atof, file: p'))).toEqual([]);
  });

  it('tell good certificates from broken ones, cut ones and keys', async () => {
    put('good.pem', `# ours\n${CERTIFICATE}${CERTIFICATE}`);
    put('key.pem', CERTIFICATE_KEY);
    put('broken.pem', CERTIFICATE + CERTIFICATE.replace(/MII.{8}/, 'MIIAAAAAAAA'));
    put('cut.pem', CERTIFICATE + CERTIFICATE.slice(0, -40));
    expect(await problemsOf(withCa('good.pem'))).toEqual([]);
    expect((await problemsOf(withCa('key.pem')))[0]).toContain('has no certificate in it: key.pem');
    expect((await problemsOf(withCa('broken.pem')))[0]).toContain('has a broken certificate: number 2 in broken.pem');
    expect((await problemsOf(withCa('cut.pem')))[0]).toContain('has a certificate that does not end: cut.pem');
  });

  it('name the variable they come from', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://a', OTEL_EXPORTER_OTLP_CERTIFICATE: 'none.pem' };
    expect(await problemsOf('', env)).toEqual([
      'OTEL_EXPORTER_OTLP_ENDPOINT: ca_file of exporter otlp cannot be read: there is no none.pem',
    ]);
    mkdirSync(join(folder, 'data/token'), { recursive: true });
    expect(await problemsOf('', { HERMES_OBSERVER_DATA: 'data' })).toEqual([
      'HERMES_OBSERVER_DATA: token file cannot be read: data/token is no regular file',
    ]);
  });

  it('are found from where the setting is written', async () => {
    put('own.pem', CERTIFICATE);
    const path = put(
      'c.yaml',
      'exporters: [{ name: a, url: "https://a", ca_file: own.pem }, { name: f, file: ~/f }]\n',
    );
    const config = await loadConfig({ file: path, env: { HOME: folder }, cwd: '/' });
    expect(placeProblems(config)).toEqual([]);
    expect(serviceOptions(config, {}).exporters).toMatchObject([{ ca: CERTIFICATE }, { path: join(folder, 'f') }]);
  });
});
