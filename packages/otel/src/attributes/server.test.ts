import { describe, expect, it } from 'vitest';
import { serverOf } from './server.js';

describe('the server of a base URL', () => {
  it.each([
    ['https://api.openai.com/v1', 'api.openai.com', undefined],
    ['http://127.0.0.1:11434/v1', '127.0.0.1', 11434],
    ['http://[::1]:8080', '::1', 8080],
    ['https://user:secret@api.test:8443/', 'api.test', 8443],
    ['https://api.test:443/', 'api.test', undefined],
    ['HTTPS://API.TEST', 'api.test', undefined],
  ])('%s', (url, address, port) => expect(serverOf(url)).toEqual({ address, port }));

  it.each([
    '',
    'api.openai.com',
    'ftp://x.test',
    'unix:///run/model.sock',
    'file:///x',
    'http://',
    undefined,
    null,
    7,
    {},
  ])('is none for %j: http and https only', (url) =>
    expect(serverOf(url)).toEqual({ address: undefined, port: undefined }),
  );

  it('is none for an absurdly long one', () => {
    expect(serverOf(`https://x.test/${'a'.repeat(3000)}`).address).toBeUndefined();
  });

  it('is right for more addresses than are remembered', () => {
    for (let n = 0; n < 600; n++) expect(serverOf(`https://h${n}.test`).address).toBe(`h${n}.test`);
    expect(serverOf('https://h0.test').address).toBe('h0.test');
  });
});
