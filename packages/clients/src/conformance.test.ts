import * as anthropic from '@anthropic-ai/sdk';
import { describeAdapter } from '@hermes-observer/core/testing';
import { createObserver } from '@hermes-observer/otel';
import * as openai from 'openai';
import { afterAll, test } from 'vitest';
import { anthropicDialect, openaiDialect } from './dialects.test-support.js';
import { LoopbackServer } from './loopback-server.test-support.js';
import { playsOf } from './plays.test-support.js';

const server = await new LoopbackServer().listen();
afterAll(() => server.close());

describeAdapter(test, playsOf(openaiDialect('openai, the newest', openai), server, createObserver));
describeAdapter(test, playsOf(anthropicDialect('@anthropic-ai/sdk, the newest', anthropic), server, createObserver));
