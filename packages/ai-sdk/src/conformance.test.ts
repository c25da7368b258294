import { describeAdapter } from '@hermes-observer/core/testing';
import { createObserver } from '@hermes-observer/otel';
import * as newest from 'ai';
import * as newestTest from 'ai/test';
import * as lowest from 'ai-v7-lowest';
import * as lowestTest from 'ai-v7-lowest/test';
import { test } from 'vitest';
import { playsOf } from './plays.test-support.js';

describeAdapter(test, playsOf('ai, the newest', newest, newestTest, createObserver));
// The types of the two versions differ where they are not used here.
describeAdapter(test, playsOf('ai 7.0.0', lowest as never, lowestTest as never, createObserver));
