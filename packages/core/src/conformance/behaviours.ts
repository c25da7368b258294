/** What an agent does in each of the plays, with the names below, and what its spans must be. */

/** Names and values that plays use, so that trees of frameworks can be compared. */
export const SCRIPT = {
  /** Model asked for, and its subagent's. */
  model: 'test-model',
  childModel: 'child-model',
  /** Role of the subagent; agent that is handed off to. */
  child: 'researcher',
  /** What the user says. */
  prompt: 'How is the weather?',
  /** What the model answers in the end. */
  answer: 'Sunny.',
  /** Tokens of each answer. */
  usage: { inputTokens: 10, outputTokens: 5 },
  /** Tool with one argument, `city`; what it gives. Ids of calls are `call_1`, `call_2`. */
  tool: 'weather',
  args: { city: 'Oslo' },
  otherArgs: { city: 'Rome' },
  result: { temperature: 21 },
  /** Tool that runs the subagent. */
  delegate: 'delegate',
  session: 'session-1',
} as const;

/** Whether the agent waits for an approval inside a turn, or ends the turn and is called again with the answer. */
export type ApprovalStyle = 'same turn' | 'next turn';

const CHAT_TOOL = 'chat test-model: tool_calls 10>5';
const CHAT_END = 'chat test-model: stop 10>5';
const twoSteps = (...between: string[]) => [
  'invoke_agent agent: completed',
  `  ${CHAT_TOOL}`,
  ...between.map((line) => `  ${line}`),
  `  ${CHAT_END}`,
];
const asked = ['invoke_agent agent: completed', `  ${CHAT_TOOL}`, '  approval weather: pending'];
const approval = (status: string, choice: string) => (style: ApprovalStyle) => {
  const waits = [`execute_tool weather: ${status}`, `  approval weather: ${choice}`];
  if (style === 'same turn') return twoSteps(...waits);
  return [...asked, 'invoke_agent agent: completed', ...waits.map((line) => `  ${line}`), `  ${CHAT_END}`];
};

interface Expectation {
  /** What the framework does in the play. */
  readonly script: string;
  readonly tree: (style: ApprovalStyle) => string[];
}

const BEHAVIOURS_TABLE = {
  plainTurn: {
    script: 'The model answers.',
    tree: () => ['invoke_agent agent: completed', `  ${CHAT_END}`],
  },
  twoSteps: {
    script: 'The model calls the tool as `call_1`, and answers.',
    tree: () => twoSteps('execute_tool weather: ok'),
  },
  parallelTools: {
    script: 'The model calls the tool twice at once, as `call_1` and, ending before it, `call_2`; and answers.',
    tree: () => twoSteps('execute_tool weather: ok', 'execute_tool weather: ok'),
  },
  toolError: {
    script:
      'A call fails without an exception of the tool: refused arguments, or an error as result; the model answers.',
    tree: () => twoSteps('execute_tool weather: error ERROR'),
  },
  toolThrows: {
    script: 'The tool throws; the model is told and answers.',
    tree: () => twoSteps('execute_tool weather: error ERROR'),
  },
  retry: {
    script: 'The first attempt is answered with 503, the second one with an answer.',
    tree: () => ['invoke_agent agent: completed', `  ${CHAT_END} x503`],
  },
  stream: {
    script: 'The answer is streamed, and read to its end.',
    tree: () => ['invoke_agent agent: completed', `  ${CHAT_END} streamed`],
  },
  streamDies: {
    script: 'The stream of the answer breaks after its first part, with an error that has no status.',
    tree: () => ['invoke_agent agent: failed ERROR', '  chat test-model: x ERROR'],
  },
  abort: {
    script: 'The program aborts the turn in the middle of a streamed answer.',
    tree: () => ['invoke_agent agent: interrupted', '  chat test-model: cancelled streamed'],
  },
  nestedAgent: {
    script: 'The tool `delegate`, called as `call_1`, runs an agent `researcher` with a model of its own that answers.',
    tree: () =>
      twoSteps('execute_tool delegate: ok', '  invoke_agent researcher: completed', '    chat child-model: stop 10>5'),
  },
  approvalGranted: {
    script: 'The call needs a person, who allows it; it runs, and the model answers.',
    tree: approval('ok', 'once'),
  },
  approvalDenied: {
    script: 'The call needs a person, who denies it; the model answers.',
    tree: approval('blocked', 'deny'),
  },
  approvalResumed: {
    script:
      'As `approvalGranted`, but the process ends while the person thinks: `ask` gives what is stored, as JSON, and `resume` goes on from it, with another observer.',
    tree: () => approval('ok', 'once')('next turn'),
  },
  handoff: {
    script: 'The agent hands the conversation to the agent `researcher`, whose model answers.',
    tree: () => [
      'invoke_agent agent: completed',
      `  ${CHAT_TOOL}`,
      '  invoke_agent researcher: completed',
      '    chat child-model: stop 10>5',
    ],
  },
} satisfies Record<string, Expectation>;

export type Behaviour = keyof typeof BEHAVIOURS_TABLE;

/** All behaviours, by name. */
export const BEHAVIOURS: Readonly<Record<Behaviour, Expectation>> = BEHAVIOURS_TABLE;
