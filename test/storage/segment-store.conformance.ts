/** What every segment store must do, wherever its segments lie. */
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { SegmentStore } from '../../storage/archive/index.ts';

const newName = (): string => `${randomUUID()}.warc.zst`;

/** @param open opens the same store once more, as another process would */
export function segmentStoreConformance(
  what: string,
  open: () => SegmentStore | Promise<SegmentStore>,
): void {
  const store = async (): Promise<SegmentStore> => open();
  describe(`segments ${what}`, () => {
    it('are read at any place, by any process, as soon as an append is over', async () => {
      const name = newName();
      const writer = await (await store()).create(name);
      const parts = Array.from({ length: 40 }, (_, at) => randomBytes(at * 97 + 1));
      const places: number[] = [];
      for (let at = 0; at < parts.length; at += 4) {
        const some = parts.slice(at, at + 4);
        let next = writer.length;
        for (const { length } of some) {
          places.push(next);
          next += length;
        }
        await writer.append(some);
        expect(writer.length).toBe(next);
        for (const [n, part] of parts.slice(0, at + 4).entries())
          expect(await (await store()).read(name, places[n] ?? 0, part.length)).toEqual(part);
      }
      await writer.close();
    });

    it('take bodies of many megabytes', async () => {
      const name = newName();
      const writer = await (await store()).create(name);
      const [first, second] = [randomBytes(9_000_001), randomBytes(7)];
      await writer.append([first, second]);
      expect(first.equals((await (await store()).read(name, 0, first.length)) ?? second)).toBe(true);
      expect(await (await store()).read(name, first.length, 7)).toEqual(second);
      await writer.close();
    });

    it('have one writer: a name is taken once', async () => {
      const name = newName();
      const writer = await (await store()).create(name);
      await writer.append([Buffer.from('mine')]);
      await expect((await store()).create(name)).rejects.toThrow();
      expect(await (await store()).read(name, 0, 4)).toEqual(Buffer.from('mine'));
      await writer.close();
    });

    it('answer null where they are gone, or end before', async () => {
      const name = newName();
      expect(await (await store()).read(name, 0, 1)).toBeNull();
      const writer = await (await store()).create(name);
      await writer.append([Buffer.from('12345')]);
      expect(await (await store()).read(name, 3, 3)).toBeNull();
      expect(await (await store()).read(name, 9, 1)).toBeNull();
      expect(await (await store()).read(name, 3, 2)).toEqual(Buffer.from('45'));
      await writer.close();
    });

    it('are cut, and what is left stays; a cut beyond the end, or of nothing, changes nothing', async () => {
      const name = newName();
      await (await store()).cut(name, 3);
      const writer = await (await store()).create(name);
      await writer.append([Buffer.from('12345')]);
      await writer.close();
      await (await store()).cut(name, 9);
      expect(await (await store()).read(name, 0, 5)).toEqual(Buffer.from('12345'));
      expect(await (await store()).read(name, 0, 6)).toBeNull();
      for (let again = 0; again < 2; again++) await (await store()).cut(name, 3);
      expect(await (await store()).read(name, 0, 3)).toEqual(Buffer.from('123'));
      expect(await (await store()).read(name, 0, 4)).toBeNull();
    });

    it('leave no gap where their writer goes on after they were cut', async () => {
      const name = newName();
      const writer = await (await store()).create(name);
      await writer.append([Buffer.from('12345')]);
      await (await store()).cut(name, 3);
      await writer.append([Buffer.from('67')]);
      expect(await (await store()).read(name, 0, 5)).toEqual(Buffer.from('12367'));
      await writer.close();
    });

    it('are removed, as often as one likes, also while somebody writes', async () => {
      const name = newName();
      const writer = await (await store()).create(name);
      await writer.append([Buffer.from('12345')]);
      for (let again = 0; again < 2; again++) await (await store()).remove(name);
      expect(await (await store()).read(name, 0, 1)).toBeNull();
      await writer.close();
    });

    it('that have settled are read as before, and are removed', async () => {
      const name = newName();
      const writer = await (await store()).create(name);
      await writer.append([Buffer.from('12345'), Buffer.from('67')]);
      await writer.close();
      let asked = 0;
      for (let again = 0; again < 2; again++)
        expect(await (await store()).settle(name, 7, () => Promise.resolve(asked++ >= 0))).toBe(true);
      expect(await (await store()).read(name, 3, 3)).toEqual(Buffer.from('456'));
      expect(await (await store()).read(name, 3, 5)).toBeNull();
      expect(await (await store()).read(name, 9, 1)).toBeNull();
      await (await store()).tidy(new Date());
      expect(await (await store()).read(name, 0, 7)).toEqual(Buffer.from('1234567'));
      for (let again = 0; again < 2; again++) await (await store()).remove(name);
      expect(await (await store()).read(name, 0, 1)).toBeNull();
    });

    it('have room, and their store answers a probe', async () => {
      expect(await (await store()).freeBytes()).toBeGreaterThan(0);
      await (await store()).probe(100_000);
    });

    it('begin in a folder that every process knows by the same name', async () => {
      const { folder } = await store();
      expect(folder).toMatch(/^[0-9a-f-]{36}$/);
      expect((await store()).folder).toBe(folder);
    });
  });
}
