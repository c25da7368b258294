import { expect, it } from 'vitest';
import { loadConfig } from '../config/load-config.js';
import { endpointFindings } from './endpoint-findings.js';
import { receivedSpans, recordFindings } from './record-findings.js';

const status = {
  http: 'http://127.0.0.1:4899',
  exporters: [],
  counts: [
    { name: 'viewer_traces', value: 2 },
    { name: 'received_spans', value: 7 },
  ],
};

it('spans over OTLP are a sign that something arrives', () => {
  expect(recordFindings([], 0, receivedSpans(status))).toEqual([
    { id: 'records', level: 'ok', text: '7 spans of other programs came over OTLP since the service started' },
  ]);
  expect(recordFindings([], 0, receivedSpans({}))).toMatchObject([{ level: 'fault' }]);
});

it.each([
  ['its settings', '4897', { HERMES_OBSERVER_HTTP_PORT: '4897' }],
  ['what it says of itself', '4899', {}],
])('the address of the service, known by %s, is no backend', async (_by, port, settings) => {
  const env = { HOME: '/nowhere', OTEL_EXPORTER_OTLP_ENDPOINT: `http://localhost:${port}`, ...settings };
  expect((await endpointFindings(await loadConfig({ env }), status)).map(({ text }) => text)).toEqual([
    'OTEL_EXPORTER_OTLP_ENDPOINT names this service itself, for programs that send to it: it is no backend, and ignored',
    'no exporter is set: spans are shown in the viewer only',
  ]);
});
