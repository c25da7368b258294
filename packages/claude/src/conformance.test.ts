import { describeAdapter } from '@hermes-observer/core/testing';
import { createObserver } from '@hermes-observer/otel';
import { test } from 'vitest';
import { playsOf } from './plays.test-support.js';
import { replayStage } from './replay.test-support.js';

// What the SDK and Claude Code did, as `e2e/adapters/claude` recorded it; there the same plays run on both as well.
for (const version of ['0.3.332', '0.3.142']) {
  const recordings = new URL(`../../../conformance/claude/agent-sdk-${version}/`, import.meta.url);
  describeAdapter(test, playsOf(`${version}, recorded`, replayStage(recordings), createObserver));
}
