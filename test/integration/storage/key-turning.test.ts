/** Another key of the instance is put before the one that has sealed what is there. */
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import type { CrawlConfig } from '../../../contracts/crawl.ts';
import {
  giveSession,
  keepCookies,
  keptCookies,
  KeyMissing,
  openHeaders,
  openSession,
  sealHeaders,
  SecretKeys,
  turnKey,
} from '../../../storage/sessions/index.ts';
import { tables } from '../../support/database/index.ts';
import { withPool } from '../../support/world.ts';
import { newCrawl } from '../api/world.ts';

const pool = withPool();
const [old, other] = [randomBytes(32), randomBytes(32)];
const before = new SecretKeys(() => [old]);
const during = new SecretKeys(() => [other, old]);
const after = new SecretKeys(() => [other]);
const origin = 'https://a.example';

it('seals anew what is sealed, where a process knows both, and then the old one may go', async () => {
  const headers = sealHeaders(before, 1, { 'X-Key': 'k3y' });
  const plain = { 'X-Plain': 'as given, before values were sealed' };
  const id = Number(await newCrawl(pool, { headers: { ...headers, ...plain } }));
  // An earlier version, to which an edit may go back.
  const version = { version: 1, config: { headers }, state: 'applied', rereads: false } as const;
  await tables.config.add(pool, { crawl_id: id, ...version });
  const fields = [{ origin, path: '/', headers: { authorization: 's3cret' } }];
  const value = { cookies: [], fields, loggedOutText: null };
  const part = { place: origin, kind: 'headers', names: ['authorization'], endsAt: null, value } as const;
  await giveSession(pool, before, id, [part], () => false, () => Promise.resolve()); // prettier-ignore
  await keepCookies(pool, before, id, origin, []);
  const { config_version: configVersion, session_revision: revision } = await tables.crawl.row(pool, { id });
  await expect(openSession(pool, after, id)).rejects.toThrow(KeyMissing);
  // Nothing is to be done for who knows one key, nor for who does not know the old one.
  expect(await turnKey(pool, before)).toMatchObject({ turned: 0, left: 0 });
  expect(await turnKey(pool, new SecretKeys(() => [other, randomBytes(32)]))).toMatchObject({ turned: 0 });

  expect(await turnKey(pool, during)).toEqual({ turned: 4, left: 0 });
  expect(await turnKey(pool, during)).toEqual({ turned: 0, left: 0 });
  expect(await openSession(pool, after, id)).toEqual([value]);
  expect(await keptCookies(pool, after, id, origin)).toEqual([]);
  const { config, ...crawl } = await tables.crawl.row(pool, { id });
  const { config: earlier } = await tables.config.row(pool, { crawl_id: id });
  expect(openHeaders(after, 1, config.headers)).toEqual({ 'X-Key': 'k3y', ...plain });
  expect(openHeaders(after, 1, (earlier as CrawlConfig).headers)).toEqual({ 'X-Key': 'k3y' });
  // It is the same session and the same settings.
  expect(crawl).toMatchObject({ config_version: configVersion, session_revision: revision });
});

it('leaves what does not open, and does the rest', async () => {
  const id = Number(await newCrawl(pool));
  await keepCookies(pool, before, id, origin, []);
  await keepCookies(pool, before, id, 'https://b.example', []);
  await tables.session.change(pool, { crawl_id: id, place: origin }, { place: 'https://moved.example' });
  expect(await turnKey(pool, during)).toMatchObject({ turned: 1, left: 1 });
  expect(await keptCookies(pool, after, id, 'https://b.example')).toEqual([]);
});
