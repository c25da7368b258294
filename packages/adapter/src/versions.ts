export { hasSafeHooks } from './versions/safe-hooks.js';
export { type AdapterManifest, tellUntested, whySilent } from './versions/tested-versions.js';
export { isInRange } from './versions/version-range.js';
