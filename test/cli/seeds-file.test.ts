/** A seeds file that is longer than a request: its beginning, and what is said of the rest. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import type { Api } from '../../cli/api/api.ts';
import { readSeedsFile, sendRest } from '../../cli/crawl/seeds-file.ts';
import { testFolder } from '../support/given.ts';

it('is sent in two parts that make the file, and a refused line of the second has its number in the file', async () => {
  const folder = testFolder();
  const file = path.join(folder, 'seeds.txt');
  const all = Array.from(
    { length: 150_000 },
    (_, at) => `https://example.com/${String(at).padStart(12, '0')}`,
  );
  writeFileSync(file, all.join('\n'));
  const { lines, rest } = await readSeedsFile(file);
  if (rest === null) throw new Error('the file fits into a request');
  let sent: string[] = [];
  const api = {
    send: async (_path: string, _schema: unknown, _type: string, body: () => AsyncIterable<Uint8Array>) => {
      sent = (await buffer(body())).toString().split('\n');
      const rejected = [{ line: 1, url: sent[0], reason: 'too-long: it is too long' }];
      return { accepted: sent.length - 1, rejectedCount: 1, rejected };
    },
  } as unknown as Api;
  const [told] = await sendRest(api, '1', rest);
  expect([...lines, ...sent]).toEqual(all);
  expect(told).toMatch(`${file}, line ${String(all.indexOf(sent[0] ?? '') + 1)}: `);
});
