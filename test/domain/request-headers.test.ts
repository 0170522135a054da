import { describe, expect, it } from 'vitest';
import { headerProblem, headersProblem, withHiddenHeaders } from '../../domain/request-headers.ts';

describe('request headers of a crawl', () => {
  it.each([
    ['Authorization', 'Basic YTpi'],
    ['cookie', 'a=b; c=d'],
    ['X-Staging', '1'],
    ['Accept-Language', 'de'],
  ])('may have %s', (name, value) => {
    expect(headerProblem(name, value)).toBeNull();
  });

  it.each(
    [
      ...['Host', 'Connection', 'Transfer-Encoding', 'TE', 'Upgrade', 'Proxy-Authorization', 'Keep-Alive'],
      ...[
        'Content-Length',
        'Content-Type',
        'Accept-Encoding',
        'User-Agent',
        'Range',
        'If-None-Match',
        'If-Range',
      ],
    ].flatMap((name) => [name, name.toLowerCase()]),
  )('may not have %s', (name) => {
    expect(headerProblem(name, 'x')).toMatch(/is set by the crawler itself/);
  });

  it.each([
    ['', 'x'],
    [':path', 'x'],
    ['X y', 'x'],
    ['X-A', ''],
    ['X-A', ' s3cret'],
    ['X-A', 's3cret\r\nHost: b'],
    ['X-A', 's3cret\n'],
    ['X-A', 's3cret\0'],
    ['X-A', 's3cr\u00e9t'],
    ['X-A', 's3cret'.repeat(1_000)],
    ['X-A', '[hidden]'],
  ])('may not have %j: %j, and says so without the value', (name, value) => {
    const problem = headerProblem(name, value);
    expect(problem).not.toBeNull();
    expect(problem).not.toContain('s3cr');
  });

  it('are bounded together', () => {
    const many = Object.fromEntries(Array.from({ length: 21 }, (_none, at) => [`X-${String(at)}`, 'x']));
    expect(headersProblem(many)).toBe('there are 21 headers; 20 are allowed');
    expect(headersProblem({ 'X-A': '1', 'x-a': '2' })).toBe('x-a is given twice');
    const long = 'x'.repeat(3_000);
    expect(headersProblem({ a: long, b: long, c: long })).toMatch(/9003 characters together; 8000/);
  });

  it('are shown without their values', () => {
    expect(withHiddenHeaders({ weight: 1, headers: { 'X-A': 'b' } })).toEqual({
      weight: 1,
      headers: { 'X-A': '[hidden]' },
    });
  });
});
