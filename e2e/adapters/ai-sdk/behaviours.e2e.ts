import { describeAdapter } from '@hermes-observer/core/testing';
import { createObserver } from '@hermes-observer/otel';
import { describe, test } from 'vitest';
import { type Differences, playsOf, UNSEEN_IN_6 } from '../../../packages/ai-sdk/src/plays.test-support.js';
import { FAULTS } from '../faults.js';
import { frameworkAt } from '../frameworks.mjs';
import { BETWEEN_6, BETWEEN_7, LOWEST_6, ZOD } from './versions.js';

const IN_6: [string, Differences][] = [
  ['wrapped', { isVersion6: true, wraps: true }],
  ['not wrapped', { isVersion6: true, skip: UNSEEN_IN_6 }],
];
const IN_7: [string, Differences][] = [['as it is', {}]];

for (const version of process.env.E2E_FULL === '1' ? [LOWEST_6, ...BETWEEN_6, ...BETWEEN_7] : [LOWEST_6]) {
  const { load } = await frameworkAt('ai-sdk', { ai: version, zod: ZOD });
  const [ai, aiTest] = await Promise.all([load('ai'), load('ai/test')]);
  for (const [model, differences] of version.startsWith('6') ? IN_6 : IN_7) {
    describe(`ai ${version}, its model ${model}`, () => {
      describeAdapter(test, { ...playsOf(version, ai, aiTest, createObserver, differences), faults: FAULTS });
    });
  }
}
