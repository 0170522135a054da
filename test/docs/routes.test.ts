/** docs/routes.md: every route, who may use it and what it is for, as the routes say it. `-u` writes it anew. */
import { expect, it } from 'vitest';
import { routes } from '../../api/routes/table.ts';
import type { Access } from '../../api/way-in/access.ts';

const who = (access: Access): string =>
  access === 'public'
    ? 'anybody'
    : `${access.least}${access.instance ? ' of the instance' : ''}, scope ${access.scopes.join(' or ')}`;

const rows = routes.map(
  ({ method, path, access, docs }) =>
    `| \`${method} ${path}\` | ${who(access)} | ${docs?.summary ?? 'for people; not in the OpenAPI document'}${docs?.isHeavy === true ? ' (costly)' : ''} |`,
);

it('is the page that a reviewer of access reads, and has every route', async () => {
  const page = [
    '# Routes',
    '',
    'Who may use which route of the API. This page is made from the routes (`api/routes/`) and compared by `test/docs/routes.test.ts`; `npm test -- test/docs/routes.test.ts -u` writes it anew. Whatever is not here is refused by the gate. “Of the instance”: callers of tenant 1 only; all others: within the tenant of the caller. “Costly”: all requests of the route, or some, wait for a [turn](api.md#turns). What a route takes and answers is at `/docs/` and `/openapi.json`; `docs/api.md` tells of keys, roles and scopes.',
    '',
    '<!-- prettier-ignore-start -->',
    '',
    '| Route | Who | What |',
    '| --- | --- | --- |',
    ...rows,
    '',
    '<!-- prettier-ignore-end -->',
    '',
  ];
  expect(rows.length).toBeGreaterThan(70);
  await expect(page.join('\n')).toMatchFileSnapshot('../../docs/routes.md');
});
