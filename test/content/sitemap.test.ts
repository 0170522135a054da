/** Sitemaps by the protocol of sitemaps.org 0.9, its limits, and bodies that are none. */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSitemap, type SitemapEntry } from '../../content/sitemap.ts';
import type { Cut } from '../../domain/limits.ts';

async function read(
  body: string | Uint8Array,
): Promise<{ entries: SitemapEntry[]; cut: Cut; batches: number }> {
  const reading = readSitemap(Buffer.from(body));
  const entries: SitemapEntry[] = [];
  for (let batches = 0; ; batches++) {
    const next = await reading.next();
    if (next.done === true) return { entries, cut: next.value, batches };
    entries.push(...next.value);
  }
}
const urls = async (body: string | Uint8Array): Promise<string[]> =>
  (await read(body)).entries.map(({ url }) => url);
const urlset = (...locs: readonly string[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${locs
    .map((loc) => `<url><loc>${loc}</loc><priority>0.5</priority></url>`)
    .join('\n')}</urlset>`;
const many = (count: number): string[] => Array.from({ length: count }, (_, i) => `https://h/${String(i)}`);

describe('what a sitemap names', () => {
  it('are the pages of a urlset, entities undone, white space trimmed', async () => {
    expect(await read(urlset('https://h/a?x=1&amp;y=2', '\n https://h/b \n'))).toMatchObject({
      entries: [
        { kind: 'page', url: 'https://h/a?x=1&y=2' },
        { kind: 'page', url: 'https://h/b' },
      ],
      cut: {},
    });
  });

  it('are the sitemaps of an index', async () => {
    const index = '<sitemapindex><sitemap><loc>https://h/1.xml</loc></sitemap></sitemapindex>';
    expect((await read(index)).entries).toEqual([{ kind: 'sitemap', url: 'https://h/1.xml' }]);
  });

  it('are no pictures', async () => {
    const text =
      '<url><loc>https://h/a</loc><image:image><image:loc>https://h/a.png</image:loc></image:image></url>';
    expect(await urls(`<urlset>${text}</urlset>`)).toEqual(['https://h/a']);
  });

  it.each([
    ['lines', 'https://h/a\r\nhttp://h/b\n\nno url\n', ['https://h/a', 'http://h/b']],
    ['a mark and white space before it', `\ufeff \n${urlset('https://h/a')}`, ['https://h/a']],
    ['lines behind a mark', '\ufeffhttps://h/a', ['https://h/a']],
    ['a last line without an end', 'https://h/a\nhttps://h/b', ['https://h/a', 'https://h/b']],
  ])('also in other forms: %s', async (_name, text, expected) => {
    expect(await urls(text)).toEqual(expected);
    expect(await urls(gzipSync(text))).toEqual(expected);
  });

  it('does not depend on where the pieces end', async () => {
    const locs = many(9_000);
    expect(await urls(urlset(...locs))).toEqual(locs);
    expect(await urls(gzipSync(locs.join('\n')))).toEqual(locs);
    const shifted = ' '.repeat(70_000) + urlset('https://h/é');
    expect(await urls(shifted)).toEqual(['https://h/é']);
  });

  it('has each form of text that XML has', async () => {
    const text =
      '<url><loc><![CDATA[https://h/a?x=1&y=]]>&#50;&#x33;&lt;</loc><loc/>x</url><url><LOC>https://h/b</LOC></url>';
    expect(await urls(`<sm:urlset>${text}</sm:urlset>`)).toEqual(['https://h/a?x=1&y=23<', 'https://h/b']);
  });

  it('comes some thousands at a time', async () => {
    expect((await read(urlset(...many(20_000)))).batches).toBeGreaterThan(4);
  });
});

describe('limits', () => {
  it.each([
    ['a urlset', (locs: readonly string[]) => urlset(...locs)],
    ['lines', (locs: readonly string[]) => locs.join('\n')],
  ])('of %s: 50,000 entries, then it is said how many more there are', async (_name, write) => {
    const whole = await read(write(many(50_000)));
    expect([whole.entries.length, whole.cut]).toEqual([50_000, {}]);
    const more = await read(gzipSync(write(many(60_000))));
    expect([more.entries.length, more.cut]).toEqual([50_000, { sitemapEntries: 10_000 }]);
    expect(more.entries.at(-1)?.url).toBe('https://h/49999');
  });

  it('50 MB unpacked, and never much of it in memory', { tags: ['long'] }, async () => {
    const bomb = gzipSync(
      Buffer.concat([
        Buffer.from(`${urlset('https://h/a').slice(0, -9)}<!--`),
        Buffer.alloc(300 * 1024 * 1024, 'x'),
      ]),
    );
    const before = process.memoryUsage().rss;
    let peak = 0;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5);
    const { entries, cut } = await read(bomb);
    clearInterval(watch);
    expect([entries.length, cut]).toEqual([1, { sitemapBytes: 1 }]);
    // The watch has its turns: the process is not held up.
    expect(peak).toBeGreaterThan(0);
    expect(peak - before).toBeLessThan(200 * 1024 * 1024);
  });

  it('one entry or line without end is cut', async () => {
    const endless = 'https://h/' + 'a'.repeat(20 * 1024 * 1024);
    expect(
      (await read(urlset(endless, 'https://h/b'))).entries.map(({ url }) => url.length < 200_000),
    ).toEqual([true, true]);
    expect((await urls(`${endless}\nhttps://h/b`)).at(-1)).toBe('https://h/b');
  });
});

describe('what is no sitemap', () => {
  it('has what came before it broke', async () => {
    const packed = gzipSync(urlset(...many(40_000)));
    const cut = await read(packed.subarray(0, packed.length / 2));
    expect(cut.cut).toEqual({ brokenSitemaps: 1 });
    expect(cut.entries.length).toBeGreaterThan(1_000);
    expect(cut.entries.length).toBeLessThan(40_000);
  });

  it('names nothing, whatever the bytes are', async () => {
    expect(await read('')).toMatchObject({ entries: [], cut: {} });
    expect(await read('<html><body>not found</body></html>')).toMatchObject({ entries: [], cut: {} });
    expect(await read(Buffer.from([0x1f, 0x8b, 1, 2, 3]))).toMatchObject({
      entries: [],
      cut: { brokenSitemaps: 1 },
    });
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.constantFrom('', '<urlset>', '\x1f\x8b\x08'),
        async (bytes, start) => {
          await read(Buffer.concat([Buffer.from(start, 'latin1'), bytes]));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('nothing blows it up: entities in entities, elements within elements', async () => {
    const entities = `<!DOCTYPE u [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><urlset><url><loc>https://h/&b;</loc></url></urlset>`;
    expect((await urls(entities)).every((url) => url.length < 50)).toBe(true);
    expect(await urls('<urlset>' + '<url>'.repeat(200_000) + '<loc>https://h/a</loc>')).toEqual([
      'https://h/a',
    ]);
  });
});
