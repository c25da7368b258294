/** Places of a behaviour that are made to fail, one a play: a retry waits for seconds, and waits in each. */
export const FAULTS = process.env.E2E_FULL === '1' ? 12 : 2;
