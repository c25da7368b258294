import type { State } from './state.js';

/** Where feeds read what is asked for, and put what they found. */
export interface StateHolder {
  readonly state: State;
  update(change: (state: State) => State): void;
}
