import { describe, expect, it } from 'vitest';
import { apiQuery, filterSearch, isFiltered, parseFilter } from './filter.js';

describe('the filter', () => {
  it('stands in the address, and comes back from there', () => {
    const filter = parseFilter('?text=a%26b&outcome=failed&tool=terminal&since=1h&other=1');
    expect(filter).toMatchObject({ text: 'a&b', outcome: 'failed', tool: 'terminal', since: '1h', agent: '' });
    expect(filterSearch(filter)).toBe('?text=a%26b&outcome=failed&tool=terminal&since=1h');
    expect(parseFilter('?since=forever').since).toBe('');
    expect(filterSearch(parseFilter(''))).toBe('');
    expect(isFiltered(parseFilter('?agent=x'))).toBe(true);
  });

  it('becomes a question to the service', () => {
    const query = apiQuery(parseFilter('?text=x&since=1h'), 1_795_988_681_496.7, 200, 'c1');
    expect(Object.fromEntries(query)).toEqual({ limit: '200', text: 'x', from: '1795985081496', before: 'c1' });
  });
});
