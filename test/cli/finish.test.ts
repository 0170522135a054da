/** Options that say what ends a crawl, on their way into the request. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRequest, type CrawlOptions } from '../../cli/crawl/request.ts';
import { ownFolder } from '../support/given.ts';

const folder = ownFolder();

const finishOf = async (options: CrawlOptions): Promise<unknown> => {
  const { body } = await readRequest(['https://a.example/'], options, []);
  return (JSON.parse(body) as { finish?: unknown }).finish;
};

describe('--finish and --max-bytes', () => {
  const finish = { any: [{ pages: 10 }, { matching: { count: 2, title: 'shoes' } }] };

  it('become criteria: JSON, a file of it, or bytes alone', async () => {
    const file = path.join(folder, 'finish.json');
    writeFileSync(file, JSON.stringify(finish));
    expect(await finishOf({ finish: JSON.stringify(finish) })).toEqual(finish);
    expect(await finishOf({ finish: file })).toEqual(finish);
    expect(await finishOf({ maxBytes: 5_000 })).toEqual({ any: [{ bytes: 5_000 }] });
    expect(await finishOf({})).toBeUndefined();
  });

  it.each<[CrawlOptions, RegExp]>([
    [{ finish: '{"any"' }, /^--finish is not valid JSON\.$/],
    [{ finish: '/nowhere' }, /^The finish file \/nowhere cannot be read: there is no such/],
    [{ finish: '{"any": []}' }, /^--finish cannot be used: /],
    [{ finish: '{"any": [{"words": 3}]}' }, /^--finish cannot be used: /],
    [{ finish: '{"any": [{"pages": 3}]}', maxBytes: 7 }, /not both: \{"bytes": 7\} may be one/],
  ])('%j is refused', async (options, words) => {
    await expect(finishOf(options)).rejects.toThrow(words);
  });
});
