/** The lowest versions of AI SDK 6 and 7 that are supported: before 6.0.111 the SDK tells integrations nothing. */
export const LOWEST_6 = '6.0.111';

/** Between it and the newest one, with `--full`. */
export const BETWEEN_6 = ['6.0.160', '6.0.220', '6.0.280'];

/** Between the lowest and the newest of 7, which the tests beside the code run on. */
export const BETWEEN_7 = ['7.0.40', '7.0.100'];

/** Of the SDK's own peer. */
export const ZOD = '4.6.7';
