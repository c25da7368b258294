import type { Sdk } from '../../../packages/claude/src/stage.test-support.js';
import { frameworkAt } from '../frameworks.mjs';

/** The versions of the SDK that its adapter is tried with; each has a Claude Code of its own. */
export const LOWEST = '0.3.142';
export const NEWEST = '0.3.332';
/** The Claude Code of the newest. */
export const CLAUDE_CODE = '2.1.332';

/** The SDK, in the cache folder: it is too large for the tree. */
export async function sdkAt(version: string): Promise<{ sdk: Sdk; folder: string }> {
  const { folder, load } = await frameworkAt('claude-agent-sdk', {
    '@anthropic-ai/claude-agent-sdk': version,
    '@anthropic-ai/sdk': '1.14.0',
    '@modelcontextprotocol/sdk': '1.29.0',
    zod: '4.6.7',
  });
  return { sdk: await load('@anthropic-ai/claude-agent-sdk'), folder };
}
