export { recordSchema } from './contract/envelope.js';
export type { HookPayloads, KnownHook } from './contract/hook-map.js';
export { hookSchemas, isKnownHook } from './contract/hook-map.js';
export type { JsonSchema } from './contract/json-schema.js';
export { recordJsonSchema } from './contract/json-schema.js';
export type { Oddity } from './contract/validate-record.js';
export { validateRecord } from './contract/validate-record.js';
