/** docs/many-hosts.md: the statements that touch more than one host's rows. `-u` writes it anew. */
import { expect, it } from 'vitest';
import { manyHosts } from '../storage/many-hosts.ts';

const rows = manyHosts.map(
  ({ why, when, statements }) =>
    `| ${statements.map((name) => `\`${name}\``).join(', ')} | ${when} | ${why} |`,
);

it('is the page that somebody reads who spreads Postgres over machines, and has every reason', async () => {
  const page = [
    '# Statements that touch more than one host',
    '',
    'All other statements keep to the rows of one host, so that a Postgres that is spread over machines by `host_id` answers them on one machine ([scaling.md](scaling.md)). This page is made from `test/storage/many-hosts.ts`, which `test/storage/many-hosts.test.ts` compares with the statements; `npm test -- test/docs/many-hosts.test.ts -u` writes it anew.',
    '',
    'A statement keeps to one host if each table of it that is kept by host (`attempt`, `dead_letter`, `host`, `host_queue`, `lent_url`, `page`, `revisit`, `robots`, `url`) is tied to one parameter by equalities in its text. The rule does not see what triggers touch: those of `url` change `host_queue` of the same host, and `ledger` and `left_out` of the crawl. Nor does it count tables of crawls, seeds, contents and tenants, which are kept by something else.',
    '',
    '<!-- prettier-ignore-start -->',
    '',
    '| Statements | When | Why |',
    '| --- | --- | --- |',
    ...rows,
    '',
    '<!-- prettier-ignore-end -->',
    '',
  ];
  expect(rows.length).toBeGreaterThan(0);
  await expect(page.join('\n')).toMatchFileSnapshot('../../docs/many-hosts.md');
});
