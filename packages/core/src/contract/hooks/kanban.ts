import type * as z from 'zod';
import { anything, flag, hook, id, integer, integerOrText, text, texts } from './fields.js';

const board = text('Board of the task. Null when the default one is meant.');
const profileName = text('Agent profile that dispatches.');

const task = {
  task_id: id('Task of the board. Never the agent’s `task_id`.'),
  profile_name: profileName,
  board,
  assignee: text('Profile that works on the task. Null when none.'),
  run_id: integerOrText('Run of the task. Null when none.'),
};

const workerPid = integer('Process id of the worker. Null when unknown.');
const retryStatus = text('What the board does with the task next.');

export const kanbanTaskClaimed = hook('A task of the board was taken. Since 0.20.0.', task);
export type KanbanTaskClaimed = z.infer<typeof kanbanTaskClaimed>;

export const kanbanTaskCompleted = hook(
  'A task of the board is done. Comes from the worker’s own process, inside a tool, and names no turn. Since 0.20.0.',
  { ...task, summary: text('What was done, in the agent’s words.') },
);
export type KanbanTaskCompleted = z.infer<typeof kanbanTaskCompleted>;

export const kanbanTaskBlocked = hook('A task of the board cannot go on. Since 0.20.0.', {
  ...task,
  reason: text('Why, in the agent’s words.'),
});
export type KanbanTaskBlocked = z.infer<typeof kanbanTaskBlocked>;

export const onKanbanWorkerSpawned = hook(
  'A process was started for a task. It is a producer of its own. Since 0.20.1.',
  {
    ...task,
    worker_pid: workerPid,
    workspace_path: text('Folder it works in.'),
  },
);
export type OnKanbanWorkerSpawned = z.infer<typeof onKanbanWorkerSpawned>;

export const onKanbanWorkerExited = hook('The process of a task ended. Since 0.20.1.', {
  ...task,
  worker_pid: workerPid,
  exit_kind: text('How it ended.', ['clean_exit', 'rate_limited', 'nonzero_exit', 'signaled', 'unknown']),
  exit_code: integer('Exit code; negative for a signal. Null when unknown.'),
  outcome: text('What became of the task.'),
  retry_status: retryStatus,
});
export type OnKanbanWorkerExited = z.infer<typeof onKanbanWorkerExited>;

export const onKanbanWorkerStaleClaim = hook('A task is held by a worker that shows no life. Since 0.20.1.', {
  ...task,
  worker_pid: workerPid,
  heartbeat_stale: flag('The worker’s heartbeat is too old.'),
  retry_status: retryStatus,
});
export type OnKanbanWorkerStaleClaim = z.infer<typeof onKanbanWorkerStaleClaim>;

export const onKanbanTaskUpdated = hook('Fields of a task changed. Since 0.20.1.', {
  ...task,
  changed_fields: texts('Names of the fields.'),
});
export type OnKanbanTaskUpdated = z.infer<typeof onKanbanTaskUpdated>;

export const onKanbanDispatchTick = hook('The board’s dispatcher looked for work. Since 0.20.1.', {
  board,
  profile_name: profileName,
  dry_run: flag('It only looked.'),
  outcome: text('What came of it.', ['ok', 'skipped_locked', 'idle']),
  result: anything('Live object of the agent. Arrives as its type name in angle brackets, or as its text form.'),
});
export type OnKanbanDispatchTick = z.infer<typeof onKanbanDispatchTick>;
