import { describeAdapter } from '@hermes-observer/core/testing';
import { createObserver } from '@hermes-observer/otel';
import * as models from '@langchain/core/language_models/chat_models';
import * as messages from '@langchain/core/messages';
import * as outputs from '@langchain/core/outputs';
import * as langgraph from '@langchain/langgraph';
import * as langchain from 'langchain';
import { test } from 'vitest';
import { playsOf } from './plays.test-support.js';

describeAdapter(
  test,
  playsOf('langchain, the newest', { models, messages, outputs, langgraph, langchain }, createObserver),
);
