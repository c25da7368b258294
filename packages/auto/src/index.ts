// For `node --import @hermes-observer/auto app.js`: observes the agent frameworks that the program loads.
import { start } from './start.js';

/** Whether frameworks that this thread loads are watched: not where the environment says so, or something failed. */
export const isWatching: boolean = start();
