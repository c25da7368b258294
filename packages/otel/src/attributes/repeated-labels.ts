import { RepeatedLabel } from './values.js';

/** Labels that are the same from span to span of a turn. */
export const sessions = new RepeatedLabel();
export const turns = new RepeatedLabel();
export const providers = new RepeatedLabel();
export const models = new RepeatedLabel();
export const modes = new RepeatedLabel();
export const requests = new RepeatedLabel();
export const responseModels = new RepeatedLabel();
