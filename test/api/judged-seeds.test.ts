/** Requests with many seeds take turns, so that together they take no more memory than one (api/judged-seeds.ts). */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Response } from 'express';
import { expect, it } from 'vitest';
import { withJudgedSeeds } from '../../api/judged-seeds.ts';

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
  expect(begun).toEqual(expect.arrayContaining(['one', 'few']));
  expect(begun).not.toContain('two');
  first.resolve(undefined);
  expect(await one).toBe(20_000);
  await expect(bad).rejects.toMatchObject({ status: 422 });
  expect(await two).toBe(30_000);
  expect(begun.at(-1)).toBe('two');
});
