/** The lowest version that is supported. */
export const LOWEST = '0.4.0';

/** Between it and the newest one, with `--full`: where runs, retries or the tracing of tools were made anew. */
export const BETWEEN = ['0.5.4', '0.8.5', '0.12.1', '0.16.1'];

/** Of the SDK's own peer. */
export const ZOD = '4.6.7';
