/** Tools that run other work inside them. Source: the Hermes Agent's tool registry. */
export const EXECUTE_CODE = 'execute_code';
export const DELEGATE_TASK = 'delegate_task';
/** The same in Claude Code, which does not say whose call a subagent works for. */
export const CLAUDE_AGENTS: ReadonlySet<string | undefined> = new Set(['Agent', 'Task']);
