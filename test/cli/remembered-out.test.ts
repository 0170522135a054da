import path from 'node:path';
import { expect, it } from 'vitest';
import { forgetOut, recallOut, rememberOut } from '../../cli/crawl/live-pages.ts';
import { testFolder } from '../support/given.ts';

it('the file of a crawl is known by its crawl, from any folder, until it is whole', () => {
  const folder = testFolder();
  expect(recallOut(folder, '3')).toBeNull();
  rememberOut(folder, '3', 'pages.jsonl');
  rememberOut(folder, '4', '/elsewhere/other.jsonl');
  expect(recallOut(folder, '3')).toBe(path.resolve('pages.jsonl'));
  forgetOut(folder, '3');
  forgetOut(folder, '3');
  expect(recallOut(folder, '3')).toBeNull();
  expect(recallOut(folder, '4')).toBe('/elsewhere/other.jsonl');
});
