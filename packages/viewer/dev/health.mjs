// An answer of `GET /api/health`, with something of everything.
export const HEALTH = {
  protocol: 1,
  version: '0.1.0',
  pid: 5092,
  http: 'http://127.0.0.1:4890',
  is_ready: true,
  is_paused: false,
  jaegerUrl: 'http://localhost:16686',
  producers: [
    {
      producer: '8c35fedf6026d448',
      hello: { surface: 'cli', profile: 'work', hermes_version: '0.22.2', capture: 'none', pid: 4711 },
      lastSeen: Date.now() - 4000,
      records: 1284,
      missing: 0,
      dropped: {},
      hooks: ['pre_llm_call'],
    },
    {
      producer: '55aa1f0e22771d09',
      hello: { surface: 'gateway', hermes_version: '0.22.2', capture: 'redacted' },
      lastSeen: Date.now() - 3_600_000,
      records: 20411,
      missing: 12,
      dropped: { queue_full: 12 },
      hooks: [],
    },
  ],
  exporters: [
    { name: 'jaeger', sentSpans: 40211, waitingBytes: 0, lostSpans: 0 },
    {
      name: 'langfuse',
      sentSpans: 39001,
      waitingBytes: 1_284_220,
      lostSpans: 31,
      lastError: 'HTTP 503 from https://cloud.example: over its limit',
    },
  ],
  counts: [
    { name: 'records', help: 'Records that were taken.', value: 21695 },
    { name: 'missing_records', help: 'Numbers that producers left out.', value: 12 },
    { name: 'open_traces', help: 'Traces with open spans.', value: 1, kind: 'gauge' },
    { name: 'journal_bytes', help: 'Bytes of the journal.', value: 48_220_113, kind: 'gauge' },
    {
      name: 'lifetime_drops',
      help: 'Given up since the data folder was made.',
      value: 31,
      labels: { what: 'spans', exporter: 'langfuse', reason: 'rejected' },
    },
  ],
  receiver: { spans: 5210, requests: 40, refused_spans: 3 },
  store: { spans: 22411, traces: 84, bytes: 18_204_110, evicted_traces: 2 },
};
