/** The copy of Temporal's file that a backup makes for itself. */
import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { packTemporal } from '../../backup/make.ts';
import type { Packing } from '../../backup/parts.ts';
import { closedGate } from '../support/gate.ts';
import { testFolder } from '../support/given.ts';

it('is its own: another backup that thaws or is made by hand meanwhile takes nothing from it', async () => {
  const dataDir = testFolder();
  for (const name of ['run', 'temporal']) mkdirSync(path.join(dataDir, name));
  const temporal = new DatabaseSync(path.join(dataDir, 'temporal', 'temporal.db'));
  temporal.exec('create table execution (id text)');
  temporal.close();
  const [read, over] = [closedGate(), closedGate()];
  const copied: string[] = [];
  /** Packs once it may. */
  const packing = (may: Promise<void>): Pick<Packing, 'add'> => ({
    add: async (_, bytes) => {
      read.open();
      await may;
      copied.push((await buffer(bytes)).toString('latin1'));
    },
  });
  const first = packTemporal({ dataDir }, packing(over.opened), 'first');
  await read.opened;
  await packTemporal({ dataDir }, packing(Promise.resolve()), 'second');
  over.open();
  await first;
  expect(copied).toEqual(
    Array.from({ length: 2 }, () => expect.stringContaining('CREATE TABLE execution') as string),
  );
  expect(readdirSync(path.join(dataDir, 'run'))).toEqual([]);
});
