// A plugin that only listens: it counts the tool calls of an agent and how they ended. No OpenTelemetry needed.
//
//   node examples/plain-observer.mjs [RECORDING]
//
// The agent here is a recording; a real one calls `hub.emit` itself. Prints one line a tool.
import { createReadStream } from 'node:fs';
import { Hub, readRecords } from '@hermes-observer/core';

/** @type {import('@hermes-observer/core').Plugin<import('@hermes-observer/core').PluginHub>} */
const toolCounter = {
  name: 'tool-counter',
  setup(hub) {
    const counts = new Map();
    hub.on('post_tool_call', ({ tool_name = '?', status = 'unknown' }) => {
      const key = `${tool_name} ${status}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    });
    // Called when the plugin is removed.
    return () => {
      for (const [key, count] of [...counts].sort()) console.log(`${key} ${count}`);
    };
  },
};

const recording =
  process.argv[2] ?? new URL('../packages/cli/demo/l-delegate-batch-one-fails-sync.ndjson', import.meta.url);
const hub = new Hub();
hub.use(toolCounter);
for await (const records of readRecords(createReadStream(recording))) {
  for (const { hook, payload, ...meta } of records) {
    hub.emit(hook, payload, { timeUnixNano: meta.time_unix_nano, producer: meta.producer, seq: meta.seq });
  }
}
hub.remove('tool-counter');
