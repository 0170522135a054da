/** What the console saves of a new crawl is a file that `--config` takes, value for value. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readCrawlFile } from '../../cli/crawl/yaml-file.ts';
import { yamlOf } from '../../console/parts/yaml.ts';
import { ownFolder } from '../support/given.ts';

const folder = ownFolder();

it('reads a file that the console has saved', async () => {
  const settings = {
    seeds: ['https://a.example/?q=a: b #c', 'https://b.example/%22'],
    label: 'it\'s: "nightly" #1\u2028 – é \u{1f577}',
    maxPages: 500,
    delaySeconds: 0.25,
    exclude: ['*.pdf', '&anchor', '{a}'],
    include: [],
    scope: 'host',
    search: true,
    maxDepth: null,
    headers: { 'accept-language': 'de', 'x-test': 'null' },
    rules: { fields: { price: { select: '.price > b', type: 'number' } } },
  };
  const file = path.join(folder, 'crawl.yaml');
  writeFileSync(file, yamlOf(settings));
  expect(await readCrawlFile(file)).toEqual(settings);
});
