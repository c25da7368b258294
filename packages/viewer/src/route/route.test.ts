import { describe, expect, it } from 'vitest';
import { parseRoute, turnPath } from './route.js';

describe('routes', () => {
  it.each([
    ['/', { page: 'turns' }],
    ['/health', { page: 'health' }],
    ['/turn/ab12', { page: 'turn', trace: 'ab12' }],
    ['/turn/ab12/', { page: 'turn', trace: 'ab12' }],
    ['/turn/ab12/cd34', { page: 'turn', trace: 'ab12', span: 'cd34' }],
    ['/turn/%E0%A4%A', { page: 'turn', trace: '%E0%A4%A' }],
    ['/turn', { page: 'unknown' }],
    ['/turn/a/b/c', { page: 'unknown' }],
    ['/health/x', { page: 'unknown' }],
  ])('%s', (path, route) => {
    expect(parseRoute(path)).toEqual(route);
  });

  it('keep ids whole, whatever is in them', () => {
    const id = '"><img src=x>/../?#%';
    expect(parseRoute(new URL(turnPath(id, id), 'http://localhost').pathname)).toEqual({
      page: 'turn',
      trace: id,
      span: id,
    });
  });
});
