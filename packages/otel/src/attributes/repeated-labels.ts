import { RepeatedId } from './id-label.js';
import { RepeatedName } from './labels.js';

/** Labels that are the same from span to span of a turn. */
export const sessions = new RepeatedId();
export const turns = new RepeatedId();
export const providers = new RepeatedName();
export const models = new RepeatedName();
export const modes = new RepeatedName();
export const requests = new RepeatedId();
export const responseModels = new RepeatedName();
