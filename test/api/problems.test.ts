import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { problem, problemKinds, problemTypeOf, usualKind } from '../../contracts/http/problem.ts';

describe('the kinds of problems', () => {
  it('stand in docs/api.md, each with its statuses', () => {
    const docs = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
    const table = docs.slice(docs.indexOf('| `type`: `urn:'), docs.indexOf('### Audit log'));
    const rows = [...table.matchAll(/^\| `([\w-]+)` +\| ([\d, ]+?) +\|/gm)].map(([, kind, statuses]) => [
      kind,
      statuses?.split(', ').map(Number),
    ]);
    const kinds = Object.entries(problemKinds).map(([kind, statuses]) => [kind, [...statuses].sort()]);
    expect(rows).toEqual(kinds);
  });

  it.each([
    [400, 'malformed-request'],
    [401, 'unauthenticated'],
    [403, 'forbidden'],
    [404, 'not-found'],
    [405, 'method-not-allowed'],
    [408, 'request-timeout'],
    [409, 'conflict'],
    [412, 'precondition-failed'],
    [413, 'body-too-large'],
    [415, 'unsupported-media-type'],
    [418, 'malformed-request'],
    [421, 'misdirected'],
    [422, 'invalid-input'],
    [429, 'rate-limited'],
    [431, 'head-too-large'],
    [500, 'internal'],
    [504, 'internal'],
    [503, 'unavailable'],
  ])('a refusal with status %i that names none is %s', (status, kind) => {
    expect(usualKind(status)).toBe(kind);
  });

  it('leave no problem without a type of ours', () => {
    const body = { title: 'Not found', status: 404, detail: 'There is none.' };
    expect(problem.safeParse({ type: 'about:blank', ...body }).success).toBe(false);
    expect(problem.safeParse({ type: problemTypeOf('not-found'), ...body }).success).toBe(true);
  });
});
