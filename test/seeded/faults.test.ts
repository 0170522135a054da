import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { faults, faultsOfRoom, rooms } from './faults.ts';

const root = path.join(import.meta.dirname, '..', '..');

describe('the seeded faults', () => {
  it.each(faults)('$name', ({ file, from, to }) => {
    const parts = readFileSync(path.join(root, file), 'utf8').split(from);
    expect(parts).toHaveLength(2);
    expect(to).not.toBe(from);
  });

  it('are six in each room, each with a name of its own', () => {
    const counts = Map.groupBy(faults, ({ room }) => room);
    expect(rooms.map((room) => counts.get(room)?.length)).toEqual(rooms.map(() => faultsOfRoom));
    expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length);
  });
});
