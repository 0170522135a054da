/**
 * Lists of what is rare among very many: hosts in trouble, dead letters of one class. Found by an index, whole and in order.
 *
 * @module-tag long
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { deadLetterClasses } from '../../../domain/dead-letter.ts';
import { hostStateNames, type HostState } from '../../../domain/host-state.ts';
import { hostsAfter, listHosts } from '../../../storage/hosts/index.ts';
import { chooseLetters, type LetterCursor } from '../../../storage/letters/index.ts';
import { measureHosts } from '../../../storage/reports/index.ts';
import {
  addHosts,
  changeHost,
  fromNow,
  tables,
  tidyTables,
  type HostColumns,
} from '../../support/database/index.ts';
import { planOf, type PlanNode } from '../../support/plans.ts';
import { withDatabase, withPool } from '../../support/world.ts';

const world = withDatabase();
const pool = withPool(world, 2);
const many = 20_000;

/** What makes a host what it is; each tenth host in the last part of them has one of these, the others are idle. */
const histories: readonly [HostState, HostColumns][] = [
  ['parked', { parked_at: fromNow(), failures: 6 }],
  ['paused', { paused_at: fromNow(), parked_at: fromNow(), failures: 6 }],
  ['parked', { parked_at: fromNow(), failures: 6, not_before: fromNow(32_400), closed_until: fromNow(32_400) }],
  ['backoff', { failures: 2, not_before: fromNow(32_400) }],
  ['backoff', { failures: 1, not_before: fromNow(32_400), closed_until: fromNow(32_400), fed: true }],
  // Over, and mere pace.
  ['idle', { failures: 2, not_before: fromNow(-1) }],
  ['active', { failures: 2, not_before: fromNow(32_400), paced_until: fromNow(32_400), fed: true }],
  ['closed', { closed_until: fromNow(32_400) }],
  ['closed', { closed_until: fromNow(32_400), fed: true }],
  ['idle', { closed_until: fromNow(-1) }],
  ['active', { fed: true }],
]; // prettier-ignore

beforeAll(async () => {
  const ids = await addHosts(pool, many, (n) => `https://h${String(n)}.example`);
  for (const id of ids.slice(-200)) await changeHost(pool, id, histories[id % 10]?.[1] ?? {});
  const letters = ids.map((n) => ({
    ...{ host_id: 1 + (n % 100), crawl_id: 7, key: Buffer.from(String(n).padStart(16, '0')) },
    ...{ class: n % 2_000 === 0 ? 'poison' : 'timeout', message: 'x', attempts: 1 },
  }));
  await tables.letter.addAll(pool, letters);
  await tidyTables(pool, 'host', 'dead_letter');
});

/** Rows of a table that the plan went over, those included that were left out. */
const walked = (plan: readonly PlanNode[], table: string): number =>
  plan
    .filter((node) => node['Relation Name'] === table)
    .reduce((sum, node) => sum + (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0), 0);

describe('hosts in one state', () => {
  it.each(hostStateNames)('%s are listed whole, in order, page by page', async (state) => {
    const expected: string[] = [];
    for (let id = 1; id <= many; id++) {
      const [first] = id > many - 200 ? (histories[id % 10] ?? ['idle']) : ['idle'];
      if (first === state) expected.push(`https://h${String(id)}.example`);
    }
    const seen: string[] = [];
    for (let after: string | null = null; ;) {
      const { items, next } = await hostsAfter(pool, after, state, state === 'idle' ? 1_000 : 7);
      seen.push(...items.map(({ origin }) => origin));
      if (next === null) break;
      after = next;
    }
    expect(seen).toEqual(expected);
    expect((await measureHosts(pool, 100)).find((each) => each.state === state)?.hosts ?? 0).toBe(
      expected.length,
    );
  });

  it.each(['parked', 'backoff', 'closed', 'active'] as const)(
    '%s are found without the others, whoever made the plan',
    async (state) => {
      const plan = await planOf(pool, (db) => listHosts(db, '0', state, null, 10));
      expect(walked(plan, 'host')).toBeLessThanOrEqual(120);
      expect(walked(plan, 'host')).toBeGreaterThan(0);
    },
  );

  it('idle ones, all of them and a single one are found by their ids and their origin', async () => {
    for (const [state, origin] of [
      ['idle', null],
      [null, null],
      [null, 'https://h7777.example'],
    ] as const) {
      const plan = await planOf(pool, (db) => listHosts(db, '0', state, origin, 10));
      expect(walked(plan, 'host')).toBe(origin === null ? 10 : 1);
    }
  });
});

describe('dead letters of one class', () => {
  it('are walked alone, page by page, though the plan was made for classes that are common', async () => {
    const filter = { crawlId: '7', hostId: null, class: 'poison', key: null } as const;
    const plan = await planOf(pool, (db) => chooseLetters(db, filter, null, 100));
    expect(walked(plan, 'dead_letter')).toBe(10);
    expect(deadLetterClasses).toContain('poison');

    const seen: LetterCursor[] = [];
    for (let after: LetterCursor | null = null; ;) {
      const letters = await chooseLetters(pool, filter, after, 3);
      seen.push(...letters);
      expect(letters.map((letter) => letter.class)).toEqual(letters.map(() => 'poison'));
      if (letters.length < 3) break;
      after = letters.at(-1) ?? null;
    }
    expect(seen).toHaveLength(10);
    expect(new Set(seen.map(({ key }) => key)).size).toBe(10);
    const atHost = await chooseLetters(pool, { ...filter, hostId: '1' }, null, 100);
    expect(atHost).toHaveLength(seen.filter(({ host_id }) => host_id === 1).length);
    expect(await chooseLetters(pool, { ...filter, hostId: '2' }, null, 100)).toEqual([]);
  });
});
