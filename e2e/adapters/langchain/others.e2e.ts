import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { KeptSpans } from '@hermes-observer/core/testing';
import { createObserver } from '@hermes-observer/otel';
import { afterEach, describe, expect, it } from 'vitest';
import { instrumentLangChain, type LangChainOptions } from '../../../packages/langchain/src/index.js';
import { frameworkAt } from '../frameworks.mjs';
import { OTHERS } from './versions.js';

const { load } = await frameworkAt('langchain-others', OTHERS);
const { RunnableLambda } = await load('@langchain/core/runnables');
const { fakeModel } = await load('@langchain/core/testing');
const { AIMessage } = await load('@langchain/core/messages');
const manager = await load('@langchain/core/callbacks/manager');

const original = manager.CallbackManager._configureSync;
afterEach(() => {
  manager.CallbackManager._configureSync = original;
  delete manager.CallbackManager._traceloopPatched;
});

/** Has the other one observe; gives callback handlers, where that is how it is done. */
const OTHER: Readonly<Record<string, () => Promise<object[]>>> = {
  OpenInference: async () => {
    const { LangChainInstrumentation } = await load('@arizeai/openinference-instrumentation-langchain');
    new LangChainInstrumentation().manuallyInstrument(manager);
    return [];
  },
  Traceloop: async () => {
    const { LangChainInstrumentation } = await load('@traceloop/instrumentation-langchain');
    new LangChainInstrumentation().manuallyInstrument({ callbackManagerModule: manager });
    return [];
  },
  Langfuse: async () => {
    const { CallbackHandler } = await load('@langfuse/langchain');
    return [new CallbackHandler()];
  },
};

async function spansBeside(name: string, options: LangChainOptions) {
  const kept = new KeptSpans();
  const observer = createObserver({ exporters: [kept as never], env: {} });
  const warnings: string[] = [];
  const end = instrumentLangChain({ observer, onWarning: (text) => warnings.push(text), ...options });
  const callbacks = (await OTHER[name]?.()) ?? [];
  const model = fakeModel().respond(new AIMessage('Sunny.'));
  await RunnableLambda.from((text: string) => text)
    .pipe(model)
    .invoke('x', { callbacks });
  end();
  await observer.shutdown();
  return { warnings, spans: kept.spans.length };
}

describe.each(Object.keys(OTHER))('%s, which makes spans as well', (name) => {
  it('is told of once', async () => {
    const { warnings, spans } = await spansBeside(name, {});
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/makes spans of the same requests/);
    expect(spans).toBe(2);
  });

  it('has the only ones where ours yield', async () => {
    expect(await spansBeside(name, { frameworkSpans: 'yield' })).toEqual({ warnings: [], spans: 0 });
  });
});

describe('LangSmith', () => {
  it('gets the same runs as without us', async () => {
    const bodies: string[] = [];
    const server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      if (request.url?.includes('/runs')) bodies.push(Buffer.concat(parts).toString());
      response.setHeader('content-type', 'application/json').end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const env = {
      ...process.env,
      LANGSMITH_TRACING: 'true',
      LANGSMITH_ENDPOINT: address,
      LANGSMITH_API_KEY: 'none',
      OTEL_EXPORTER_OTLP_ENDPOINT: address,
    };
    const depths = async (args: readonly string[]) => {
      bodies.length = 0;
      const program = fileURLToPath(new URL('agent.mjs', import.meta.url));
      await promisify(execFile)(process.execPath, [...args, program, 'run'], { env, timeout: 30_000 });
      const orders = bodies.join('\n').matchAll(/"dotted_order":"([^"]+)"/g);
      return [...new Set([...orders].map(([, order]) => order as string))]
        .map((order) => order.split('.').length)
        .sort();
    };
    const without = await depths([]);
    const beside = await depths(['--import', '@hermes-observer/langchain/register']);
    server.close();
    expect(without.length).toBeGreaterThan(5);
    expect(beside).toEqual(without);
  });
});
