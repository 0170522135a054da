/** Requests with many seeds take turns, so that together they take no more memory than one (api/judged-seeds.ts). */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Response } from 'express';
import { expect, it } from 'vitest';
import { withJudgedSeeds } from '../../api/crawls/judged-seeds.ts';

const response = new ServerResponse(new IncomingMessage(new Socket())) as Response;
const list = (many: number): string[] =>
  Array.from({ length: many }, (_, at) => `https://a.example/${String(at)}`);

it('many are judged and stored one request at a time, few beside them, and a bad list holds up nobody', async () => {
  const begun: string[] = [];
  const first = Promise.withResolvers<undefined>();
  const store =
    (name: string, until: Promise<unknown> = Promise.resolve()) =>
    async ({ accepted }: { readonly accepted: number }): Promise<number> => {
      begun.push(name);
      await until;
      return accepted;
    };
  const one = withJudgedSeeds(response, list(20_000), store('one', first.promise));
  const bad = withJudgedSeeds(
    response,
    Array.from({ length: 20_000 }, () => 'no url'),
    store('bad'),
  );
  const two = withJudgedSeeds(response, list(30_000).join(), store('two'));
  expect(await withJudgedSeeds(response, list(3), store('few'))).toBe(3);
  await expect.poll(() => begun).toContain('one');
  expect(begun).toContain('few');
  expect(begun).not.toContain('two');
  first.resolve(undefined);
  expect(await one).toBe(20_000);
  await expect(bad).rejects.toMatchObject({ status: 422 });
  expect(await two).toBe(30_000);
  expect(begun.at(-1)).toBe('two');
});

it('lets others have their turn while many are judged, and counts lines on', async () => {
  let turns = 0;
  const ticking = setInterval(() => turns++, 0);
  const judged = await withJudgedSeeds(response, [...list(50_000), 'no url'], (all) => Promise.resolve(all));
  clearInterval(ticking);
  expect(turns).toBeGreaterThan(5);
  expect(judged.seeds.map(({ line }) => line)).toEqual(Array.from({ length: 50_001 }, (_, at) => at + 1));
  expect(judged.rejected.map(({ line }) => line)).toEqual([50_001]);
});
