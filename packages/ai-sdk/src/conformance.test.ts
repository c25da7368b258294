import { describeAdapter } from '@hermes-observer/core/testing';
import { createObserver } from '@hermes-observer/otel';
import * as newest from 'ai';
import * as newestTest from 'ai/test';
import * as six from 'ai-v6';
import * as sixTest from 'ai-v6/test';
import * as lowest from 'ai-v7-lowest';
import * as lowestTest from 'ai-v7-lowest/test';
import { test } from 'vitest';
import { playsOf, UNSEEN_IN_6 } from './plays.test-support.js';

describeAdapter(test, playsOf('ai, the newest', newest, newestTest, createObserver));
// The types of the two versions differ where they are not used here.
describeAdapter(test, playsOf('ai 7.0.0', lowest as never, lowestTest as never, createObserver));
// As are those of 6.
const isVersion6 = true;
describeAdapter(
  test,
  playsOf('ai 6, wrapped', six as never, sixTest as never, createObserver, { isVersion6, wraps: true }),
);
describeAdapter(
  test,
  playsOf('ai 6', six as never, sixTest as never, createObserver, { isVersion6, skip: UNSEEN_IN_6 }),
);
