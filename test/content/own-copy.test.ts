/** Pieces of a page that are kept after it was read must not keep the page: V8 cuts pieces as views of the whole text. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { extract, pageUrl } from './page.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const pages = 30;
const source = (parts: string): string =>
  `<!doctype html>${parts}<p>Words of the page<!--${'x'.repeat(500_000)}-->`;

/** Megabytes in use once garbage is gone. */
function inUse(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1_000_000;
}

describe('what is kept of a page', () => {
  const { origin } = new URL(pageUrl);
  it.each([
    ['a link that names its host', (nth: string) => `<a href="${origin}/a/link/to/${nth}">to</a>`],
    ['a link from the root', (nth: string) => `<a href="/a/link/to/${nth}">to</a>`],
    ['a link from its folder', (nth: string) => `<a href="a/link/to/${nth}">to</a>`],
    ['a link to another host', (nth: string) => `<a href="https://other.example/a/link/to/${nth}">to</a>`],
    ['a class', (nth: string) => `<p class="a-class-of-its-own-${nth}">Some words</p>`],
    ['a language', (nth: string) => `<html lang="en-x-unlike-any-other-${nth}">`],
  ])('%s does not keep its source in memory', (_, parts) => {
    const kept = new Set<string>();
    const before = inUse();
    for (let page = 0; page < pages; page++)
      for (const link of extract(source(parts(String(page)))).links) kept.add(link);
    // The sources are 15 MB.
    expect(inUse() - before).toBeLessThan(5);
    expect(kept.size).toBe(parts('').includes('href') ? pages : 0);
  });
});
