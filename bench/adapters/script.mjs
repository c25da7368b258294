// What the agent of every framework says and does: a request that calls a tool, and one that answers.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Model requests of a run, which is what is called a step here. */
export const STEPS = 2;
export const TOOL = 'weather';
export const CALL_ID = 'call_1';
export const MODEL = 'gpt-5';

const text = (bytes) => 'What a person, an agent and its tools have to say to each other. '.repeat(bytes / 64);

export const SYSTEM = text(1024);
export const PROMPT = text(256);
export const ARGUMENTS = { city: 'Oslo', country: 'Norway', unit: 'celsius' };
export const RESULT = { temperature: 21, wind: 4, report: text(512) };
export const ANSWER = text(512);

export const INPUT_TOKENS = 400;
export const OUTPUT_TOKENS = 120;

/** The answer as a model streams it. */
export const CHUNKS = ANSWER.match(/.{1,64}/gs);

/**
 * What every model here awaits before it answers: as any that is reached by a network, it answers in a later turn of the event
 * loop. So work that was put off until then counts for the run.
 */
export const answerLater = nextTurn;
