export * as costSemconv from './semconv.js';
