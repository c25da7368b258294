// The behaviours of the kit in other versions of the clients, in ES modules and in CommonJS.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describeAdapter } from '@hermes-observer/core/testing';
import { createObserver } from '@hermes-observer/otel';
import { afterAll, test } from 'vitest';
import { anthropicDialect, openaiDialect } from '../../../packages/clients/src/dialects.test-support.js';
import { LoopbackServer } from '../../../packages/clients/src/loopback-server.test-support.js';
import { playsOf } from '../../../packages/clients/src/plays.test-support.js';
import { frameworkAt } from '../frameworks.mjs';
import { ANTHROPIC, OPENAI } from './versions.mjs';

const server = await new LoopbackServer().listen();
afterAll(() => server.close());

async function installed(id: string, version: string) {
  const { folder, load } = await frameworkAt(`clients-${id.replace(/\W+/g, '-')}`, { [id]: version });
  return { esm: await load(id), cjs: createRequire(join(folder, 'package.json'))(id) };
}

for (const version of OPENAI) {
  const { esm, cjs } = await installed('openai', version);
  describeAdapter(test, playsOf(openaiDialect(`openai ${version}`, esm), server, createObserver));
  if (version === OPENAI[0])
    describeAdapter(test, playsOf(openaiDialect(`openai ${version}, CommonJS`, cjs), server, createObserver));
}
for (const version of ANTHROPIC) {
  const { esm, cjs } = await installed('@anthropic-ai/sdk', version);
  describeAdapter(test, playsOf(anthropicDialect(`@anthropic-ai/sdk ${version}`, esm), server, createObserver));
  if (version === ANTHROPIC[0])
    describeAdapter(
      test,
      playsOf(anthropicDialect(`@anthropic-ai/sdk ${version}, CommonJS`, cjs), server, createObserver),
    );
}
