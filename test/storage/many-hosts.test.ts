/**
 * Statements keep to one host, but for those that `many-hosts.ts` lists with a reason: Postgres can be spread over
 * machines by host_id as long as what is not listed stays on one.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { allStatements } from '../support/statements.ts';
import { hostsOf } from './hosts-of-statement.ts';
import { manyHosts } from './many-hosts.ts';

const folder = new URL('../../storage/', import.meta.url);

/** Tables that can be kept by host: `host`, and each with a host_id that is in its primary key, if it has one. */
const schema = readFileSync(new URL('schema.sql', folder), 'utf8');
const kept = new Set(
  [...schema.matchAll(/^create table (\w+) \((.*?)^\)/gms)]
    .filter(([, name = '', body = '']) => {
      const [, key] = /PRIMARY KEY \(([^)]*)\)/.exec(body) ?? [];
      return (
        name === 'host' || (/^ {2}host_id /m.test(body) && (key?.split(', ').includes('host_id') ?? true))
      );
    })
    .map(([, name = '']) => name),
);

it('keep to one host, or are listed with the reason', async () => {
  expect([...kept].sort()).toEqual(
    ['attempt', 'cap_wait', 'dead_letter', 'forgotten', 'host', 'host_blocks', 'host_quality', 'host_queue', 'host_time', 'lent_url', 'link_count', 'made_up_path', 'page_history', 'page_version', 'render_gain', 'rendering', 'revisit', 'robots', 'sitemap_hint', 'sitemap_record', 'sitemap_report', 'trap_watch', 'url'],
  ); // prettier-ignore
  const judged = (await allStatements())
    .map(({ name, text }) => ({ name, ...hostsOf(text, kept) }))
    .filter(({ tables }) => tables.length > 0);
  expect(judged.length).toBeGreaterThan(120);
  const listed = manyHosts.flatMap((reason) => reason.statements);
  expect([...new Set(listed)]).toEqual(listed);
  const many = judged.filter(({ loose }) => loose.length > 0);
  // Tie these to a host, or list them with the reason why they cannot be.
  expect(
    many
      .filter(({ name }) => !listed.includes(name))
      .map(({ name, loose }) => `${name}: ${loose.join(', ')}`),
  ).toEqual([]);
  // These keep to one host now, or are gone: take them off the list.
  expect(listed.filter((name) => !many.some((each) => each.name === name))).toEqual([]);
});

describe('the rule', () => {
  const loose = (text: string): readonly string[] => hostsOf(text, kept).loose;

  it.each([
    ['a parameter', 'select from url where host_id = $1 and crawl_id = $2'],
    ['a host by its id', 'update host set fed = true where id = $1'],
    ['a join', 'select from url u join host_queue q on q.host_id = u.host_id where $2::bigint = q.host_id'],
    ['a join by name of the column', 'select from url join host_queue q using (host_id, crawl_id) where q.host_id = $1'],
    ['a query around', 'select from host h where id = $1 and exists (select from url u where u.host_id = h.id)'],
    ['an expression of it', 'with c as (select host_id, key from url where host_id = $1) update url u set state = $2 from c where u.host_id = c.host_id'],
    ['the old row', 'update host set fed = true where id = $1 returning (select max(l.token) from lent_url l where l.host_id = old.id)'],
    ['a new row', "insert into robots (host_id, status) values ($1, 200) on conflict (host_id) do update set status = 1"],
    ['new rows from it', 'with c as (select * from url where host_id = $1) insert into attempt (host_id, key) select host_id, key from c'],
    ['both parts of a union', 'select key from url where host_id = $1 union all select key from page_version where host_id = $1'],
  ])('ties a table by %s', (_, text) => {
    expect(loose(text)).toEqual([]);
  }); // prettier-ignore

  it.each([
    ['nothing', 'select from url where crawl_id = $1', ['url']],
    ['a list', 'select from url where host_id = any ($1)', ['url']],
    ['a nested list', 'select from url where host_id in (select id from host where id = $1)', ['url']],
    ['rows of JSON', 'select from json_to_recordset($1) as r(host_id bigint) join url u on u.host_id = r.host_id', ['url']],
    ['one side of or', 'select from url where host_id = $1 or crawl_id = $2', ['url']],
    ['a case', "select from url where key > case when host_id = $1 then $2 else '' end", ['url']],
    ['another column', 'select from host h join url u on u.host_id = h.id join url p on p.host_id = u.parent_host where h.id = $1', ['url']],
    ['another parameter', 'select from url u, host h where u.host_id = $1 and h.id = $2', ['host']],
    ['one part of a union', 'select from url where host_id = $1 union all select from page_version where crawl_id = $1', ['page_version']],
    ['an expression of other rows', 'with c as (select id as host_id from host where shard = $1) select from url u join c on u.host_id = c.host_id', ['host', 'url']],
    ['a recursion', 'with recursive up as (select * from url where host_id = $1 union all select u.* from up join url u on u.host_id = up.parent_host) select from up', ['url']],
  ])('does not by %s', (_, text, tables) => {
    expect(loose(text)).toEqual(tables);
  }); // prettier-ignore
});
