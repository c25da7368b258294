import type { Command } from 'commander';
import { defineAnswers } from './policy-answer.js';
import { definePolicyList, defineVerifyAudit } from './policy-list.js';
import { definePolicyTest } from './policy-test.js';
import type { Host } from './program.js';

/** Sets up `policy` and its commands. */
export function definePolicy(command: Command, host: Host): void {
  definePolicyTest(command, host);
  definePolicyList(command, host);
  defineAnswers(command, host);
  defineVerifyAudit(command, host);
}
