import { describeAdapter } from '@hermes-observer/core/testing';
import { createObserver } from '@hermes-observer/otel';
import { test } from 'vitest';
import { playsOf } from '../../../packages/langchain/src/plays.test-support.js';
import { FAULTS } from '../faults.js';
import { frameworkAt } from '../frameworks.mjs';
import { LOWEST } from './versions.js';

const { load } = await frameworkAt('langchain-lowest', LOWEST);
const framework = {
  models: await load('@langchain/core/language_models/chat_models'),
  messages: await load('@langchain/core/messages'),
  outputs: await load('@langchain/core/outputs'),
  langgraph: await load('@langchain/langgraph'),
  langchain: await load('langchain'),
};

describeAdapter(test, { ...playsOf(`langchain ${LOWEST.langchain}`, framework, createObserver), faults: FAULTS });
