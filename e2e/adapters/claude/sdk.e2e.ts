// The behaviours on the SDK itself, with its Claude Code and a model on this machine (`--full`); by default on what was recorded
// there. `E2E_RECORD=1` records anew.
import { BEHAVIOURS, type Behaviour, describeAdapter, PlayScene } from '@hermes-observer/core/testing';
import { createObserver } from '@hermes-observer/otel';
import { afterAll, it } from 'vitest';
import { MORE_PLAYS, playMore } from '../../../packages/claude/src/more-plays.test-support.js';
import { playsOf } from '../../../packages/claude/src/plays.test-support.js';
import { replayStage } from '../../../packages/claude/src/replay.test-support.js';
import type { Sdk } from '../../../packages/claude/src/stage.test-support.js';
import { realStage } from './real-stage.js';
import { LOWEST, NEWEST, sdkAt } from './versions.js';

/** What is recorded has all that Claude Code can tell. */
const withPartials =
  (query: Sdk['query']): Sdk['query'] =>
  ({ options, ...params }) =>
    query({ ...params, options: { ...options, includePartialMessages: true } });

const isRecording = process.env.E2E_RECORD === '1';
const isFull = process.env.E2E_FULL === '1' || isRecording;

for (const version of [NEWEST, LOWEST]) {
  const recordings = new URL(`../../../conformance/claude/agent-sdk-${version}/`, import.meta.url);
  if (!isFull) {
    describeAdapter(it, playsOf(`${version}, recorded`, replayStage(recordings), createObserver));
    continue;
  }
  const { sdk } = await sdkAt(version);
  const stage = realStage(sdk, isRecording ? recordings : undefined);
  afterAll(() => stage.close());
  const adapter = playsOf(`${version}`, stage, createObserver);
  if (isRecording) {
    for (const behaviour of Object.keys(BEHAVIOURS) as Behaviour[]) {
      const play = adapter.play[behaviour];
      if (play === undefined) continue;
      it(`records ${behaviour} of ${version}`, async () => {
        const observer = createObserver({ exporters: [], agentName: 'agent', env: {} });
        const end = adapter.install(observer);
        const scene = new PlayScene(observer, () => undefined);
        if (typeof play === 'function') await play(scene);
        else await play.resume(scene, await play.ask(scene));
        end();
        await observer.shutdown();
      });
    }
    for (const name of Object.keys(MORE_PLAYS))
      it(`records ${name} of ${version}`, async () => void (await playMore(stage, name, withPartials)));
  } else describeAdapter(it, adapter);
}
