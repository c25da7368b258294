import { describeAdapter } from '@hermes-observer/core/testing';
import { createObserver } from '@hermes-observer/otel';
import { describe, test } from 'vitest';
import { type ClientOf, playsOf } from '../../../packages/openai-agents/src/plays.test-support.js';
import { FAULTS } from '../faults.js';
import { frameworkAt } from '../frameworks.mjs';
import { BETWEEN, LOWEST, ZOD } from './versions.js';

/** Versions before 0.7.0 have no retries of their own. */
const hasRetries = (version: string) => Number(version.split('.')[1]) >= 7;

for (const version of process.env.E2E_FULL === '1' ? [LOWEST, ...BETWEEN] : [LOWEST]) {
  const { load } = await frameworkAt('openai-agents', { '@openai/agents': version, zod: ZOD });
  const agents = await load('@openai/agents');
  const { default: OpenAI } = await load('openai');
  const client: ClientOf = (baseURL) => new OpenAI({ apiKey: 'none', baseURL });
  describe(`@openai/agents ${version}`, () => {
    describeAdapter(test, {
      ...playsOf(version, agents, createObserver, hasRetries(version) ? undefined : client),
      faults: FAULTS,
    });
  });
}
