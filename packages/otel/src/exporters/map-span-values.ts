export { copySpan, mapAttributes, mapSpanValues } from '../sdk/copy-span.js';
