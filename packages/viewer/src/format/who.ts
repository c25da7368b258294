import { visibleLine } from './visible-text.js';

/** Who blocked or decided, in words: the codes of hooks read better without their joints. */
export const whoBlocked = (by: string): string => visibleLine(by, 80).replaceAll('_', ' ');
