import { expect, it } from 'vitest';
import { jaegerLink } from './jaeger-link.js';

const TRACE = 'ab'.repeat(16);
const SPAN = 'cd'.repeat(8);

it('links a span in Jaeger, and nothing that is no web address', () => {
  expect(jaegerLink('http://localhost:16686/', TRACE, SPAN)).toBe(
    `http://localhost:16686/trace/${TRACE}?uiFind=${SPAN}`,
  );
  expect(jaegerLink('https://example.com/jaeger', TRACE, 'x&y')).toBe(`https://example.com/jaeger/trace/${TRACE}`);
  expect(jaegerLink('javascript:alert(1)//', TRACE, SPAN)).toBeUndefined();
  expect(jaegerLink('not an address', TRACE, SPAN)).toBeUndefined();
  expect(jaegerLink('http://localhost', '../x', SPAN)).toBeUndefined();
  expect(jaegerLink(undefined, TRACE, SPAN)).toBeUndefined();
});
