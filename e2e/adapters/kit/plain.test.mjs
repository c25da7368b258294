// The kit without a test framework of anybody's: `node --test`. The adapter is its parts, played by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AdapterTurn, Guard, scopesOf } from '@hermes-observer/adapter';
import { BEHAVIOURS, conformanceCases, describeAdapter } from '@hermes-observer/core/testing';
import { createObserver } from '@hermes-observer/otel';

const guard = new Guard('plain', () => {});
const skip = Object.fromEntries(Object.keys(BEHAVIOURS).map((name) => [name, 'not tried here']));
const adapter = {
  name: 'plain',
  createObserver,
  install: () => () => {},
  approvals: 'same turn',
  skip,
  play: {
    plainTurn: async (scene) => {
      const turn = new AdapterTurn(scene.observer, guard, { model: scene.script.model });
      const request = turn.request({});
      scopesOf(scene.observer, guard).run({ turn, request }, () => scene.mark('model'));
      request.end({ usage: scene.script.usage, finishReason: 'stop' });
      turn.end({ answer: scene.script.answer });
      return scene.script.answer;
    },
  },
};

describeAdapter(test, adapter);

test('a wrong tree fails', async () => {
  const [wrong] = conformanceCases({ ...adapter, play: { plainTurn: async () => {} } });
  await assert.rejects(wrong.run(), assert.AssertionError);
});
