/** All that the command needs of this folder, which is one file where it is installed. */
export { LiveView } from './live-view.js';
export { ServiceSource } from './service-source.js';
export type { TurnSource } from './source.js';
export { StoreSource } from './store-source.js';
