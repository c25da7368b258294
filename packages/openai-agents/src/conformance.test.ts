import { describeAdapter } from '@hermes-observer/core/testing';
import { createObserver } from '@hermes-observer/otel';
import * as agents from '@openai/agents';
import OpenAI from 'openai';
import { describe, test } from 'vitest';
import { playsOf } from './plays.test-support.js';

describeAdapter(test, playsOf('@openai/agents, the newest', agents, createObserver));

describe('a client that tries again', () => {
  const client = (baseURL: string) => new OpenAI({ apiKey: 'none', baseURL });
  const { play, ...adapter } = playsOf('its own client', agents, createObserver, client);
  const skip = Object.fromEntries(Object.keys(play).map((name) => [name, 'above']));
  describeAdapter(test, { ...adapter, play: play.retry === undefined ? {} : { retry: play.retry }, skip });
});
