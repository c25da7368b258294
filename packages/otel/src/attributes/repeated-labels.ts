import { RepeatedName } from './labels.js';
import { RepeatedLabel } from './values.js';

/** Labels that are the same from span to span of a turn. */
export const sessions = new RepeatedLabel();
export const turns = new RepeatedLabel();
export const providers = new RepeatedName();
export const models = new RepeatedName();
export const modes = new RepeatedName();
export const requests = new RepeatedLabel();
export const responseModels = new RepeatedName();
