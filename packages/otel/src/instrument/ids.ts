import { randomBytes } from 'node:crypto';

/** `prefix` and 16 random hex digits: enough that turns of many processes never share a trace. */
export const newId = (prefix: string): string => prefix + randomBytes(8).toString('hex');
