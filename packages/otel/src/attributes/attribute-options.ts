import type { Capture } from './capture.js';

/** What the attributes of a span depend on beside its records. */
export interface AttributeOptions {
  /** Name of the agent whose turns these are. */
  readonly agentName: string;
  readonly capture: Capture;
}
