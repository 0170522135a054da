/**
 * A release runs beside the one before it while people upgrade, on one database. So a migration either adds (`expand`: the
 * statements of the release before it still work), or takes away what no release since a stated one uses (`contract`).
 * What it is stands in its first line; docs/operations.md, "Upgrade". That the statements of the last release do work is
 * seen in test/releases/.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { version } from '../../config/package.ts';

const folder = path.join(import.meta.dirname, '..', '..', 'storage', 'migrations');
/** The last one of 0.2.0, the first release: no other release runs beside those up to it. */
const firstRelease = 96;

const header = /^-- (?:(expand): \S.*|contract since (\d+)\.(\d+)\.(\d+): \S.*)\n/;
/** What an old release would stumble over, in SQL without its comments. */
const takesAway =
  /\b(drop (table|column|view|function|type|constraint not null)|rename|alter column \w+ (type|set data type|set not null)|add column \w+ [^,;]*not null(?![^,;]*default))/i;

/** Null: fine; otherwise what is wrong. */
function judge(sql: string, current: string): string | null {
  const found = header.exec(sql);
  if (found === null) return 'its first line must be "-- expand: …" or "-- contract since X.Y.Z: …"';
  const [, expand, ...since] = found;
  const body = sql.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ');
  if (expand !== undefined) {
    const taken = takesAway.exec(body);
    return taken === null ? null : `an expansion takes away: ${taken[0]}`;
  }
  const numbers = (text: readonly string[]): number =>
    text.reduce((sum, part) => sum * 1_000 + Number(part), 0);
  return numbers(since) < numbers(current.split('.'))
    ? null
    : `what ${since.join('.')} is the first not to use goes a release later than that`;
}

it.each(readdirSync(folder).filter((name) => Number.parseInt(name, 10) > firstRelease))('%s', (name) => {
  expect(judge(readFileSync(path.join(folder, name), 'utf8'), version)).toBeNull();
});

it('are judged by what they say and do', () => {
  const said = (sql: string): string | null => judge(sql, '0.3.0');
  expect(said('alter table host add column size bigint;')).toMatch(/first line/);
  expect(said('-- expand:\nselect 1')).toMatch(/first line/);
  expect(said('-- expand: sizes of hosts\nalter table host add column size bigint;')).toBeNull();
  expect(said('-- expand: sizes\nalter table host add column size bigint not null default 0;')).toBeNull();
  expect(said('-- expand: sizes\nalter table host add column size bigint not null;')).toMatch(/takes away/);
  expect(said('-- expand: sizes\n-- drop table\nalter table host\n  drop column size;')).toMatch(
    /drop column/,
  );
  expect(said('-- expand: names\nalter table host rename to site;')).toMatch(/rename/);
  expect(said('-- contract since 0.2.0: nobody reads sizes\nalter table host drop column size;')).toBeNull();
  expect(said('-- contract since 0.3.0: nobody reads sizes\nalter table host drop column size;')).toMatch(
    /later/,
  );
});
