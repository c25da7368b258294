// For `node --import @hermes-observer/auto app.js`: observes the agent frameworks that the program loads.
import { start } from './start.js';

start();
