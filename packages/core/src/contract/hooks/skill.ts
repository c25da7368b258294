import type * as z from 'zod';
import { count, flag, hook, text } from './fields.js';
import { sessionId, taskId } from './identity.js';

export const onSkillLifecycle = hook('A skill was used or changed. Since 0.20.1.', {
  action: text('What happened to it.', ['loaded', 'installed', 'created', 'patched']),
  skill_name: text('Name of the skill.'),
  provenance: text('Where the skill came from.'),
  task_id: taskId,
  session_id: sessionId,
  use_count: count('How often it was used. Null when not counted.'),
  reused: flag('It was used before. Null when not known.'),
  reuse_after_patch: flag('It was used again after a change. Null when not known.'),
});
export type OnSkillLifecycle = z.infer<typeof onSkillLifecycle>;
