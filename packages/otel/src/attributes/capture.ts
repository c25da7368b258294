/** How much content goes on spans: nothing, what is left after redaction, or all of it (bounded all the same). */
export type Capture = 'none' | 'redacted' | 'full';

export const CAPTURE_MODES: readonly Capture[] = ['none', 'redacted', 'full'];
