/**
 * What a worker tells of itself: the file for the health check of its container, touched while Postgres takes its notes and
 * it takes work, and that it has left.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import pino from 'pino';
import { expect, it } from 'vitest';
import type { Pool } from '../../storage/postgres/index.ts';
import { announce } from '../../workers/presence.ts';
import { testFolder } from '../support/given.ts';

it.each([
  { postgres: false, takesWork: true, alive: false },
  { postgres: true, takesWork: false, alive: false },
  { postgres: true, takesWork: true, alive: true },
])('is touched only by one that is at work: %o', async ({ postgres, takesWork, alive }) => {
  const folder = testFolder();
  const file = path.join(folder, 'alive');
  const pool = {
    query: () => (postgres ? Promise.resolve({ rows: [] }) : Promise.reject(new Error('away'))),
  } as unknown as Pool;
  const touched = { file, takesWork: () => takesWork };
  const leave = announce(pool, 'a', () => ['fetch'], null, null, touched, pino({ level: 'silent' }));
  // Ends once the first note was made.
  await leave(true);
  expect(existsSync(file)).toBe(alive);
});

it.each([true, false])(
  'one that leaves in order is no worker any more; one that is lost: %s',
  async (lost) => {
    const made: string[] = [];
    const query = ({ name }: { readonly name: string }) => (made.push(name), Promise.resolve({ rows: [] }));
    const pool = { query } as unknown as Pool;
    await announce(pool, 'a', () => ['fetch'], null, null, null, pino({ level: 'silent' }))(lost);
    expect(made.includes('forget-worker')).toBe(!lost);
  },
);

it('a role in which it can work no more is told no more', async () => {
  const told: unknown[] = [];
  const query = ({ name, values }: { readonly name: string; readonly values: readonly unknown[] }) => {
    if (name === 'note-worker') told.push(values[1]);
    return Promise.resolve({ rows: [] });
  };
  const able = { roles: ['extract', 'render'] };
  const pool = { query } as unknown as Pool;
  await announce(pool, 'a', () => able.roles, null, null, null, pino({ level: 'silent' }))(true);
  able.roles = ['extract'];
  await announce(pool, 'a', () => able.roles, null, null, null, pino({ level: 'silent' }))(true);
  expect(told).toEqual([['extract', 'render'], ['extract']]);
});
