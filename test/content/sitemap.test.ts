/** Sitemaps by the protocol of sitemaps.org 0.9, its limits, and bodies that are none. */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { looksLikeSitemap, readSitemap } from '../../content/sitemap.ts';
import type { SitemapEntry } from '../../content/sitemap-entry.ts';
import type { Cut } from '../../domain/limits.ts';
import type { SitemapFormat } from '../../domain/sitemap-choice.ts';
import { SitemapFaults } from '../../domain/sitemap-faults.ts';
import { runs } from '../support/runs.ts';

interface Read {
  readonly entries: SitemapEntry[];
  readonly format: SitemapFormat;
  readonly cut: Cut;
  readonly batches: number;
  /** Such as `3 bad-date yesterday`. */
  readonly faults: string[];
}

async function read(body: string | Uint8Array, address = 'https://h/feeds/all.xml'): Promise<Read> {
  const faults = new SitemapFaults();
  const reading = readSitemap(Buffer.from(body), faults, address);
  const entries: SitemapEntry[] = [];
  for (let batches = 0; ; batches++) {
    const next = await reading.next();
    if (next.done === true) {
      const told = faults.kept.map(({ line, kind, found }) => `${String(line)} ${kind} ${found}`.trim());
      return { entries, ...next.value, batches, faults: told };
    }
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
    expect((await read(index)).entries).toMatchObject([{ kind: 'sitemap', url: 'https://h/1.xml' }]);
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
      { numRuns: runs(500) },
    );
  });

  it('nothing blows it up: entities in entities, elements within elements', async () => {
    const entities = `<!DOCTYPE u [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><urlset><url><loc>https://h/&b;</loc></url></urlset>`;
    expect((await urls(entities)).every((url) => url.length < 50)).toBe(true);
    expect(await urls('<urlset>' + '<url>'.repeat(200_000) + '<loc>https://h/a</loc>')).toEqual([
      'https://h/a',
    ]);
  });

  it('elements have any names', async () => {
    const entry = '<url><constructor>x</constructor><loc>https://h/a</loc></url>';
    expect(await urls(`<urlset>${entry}</urlset>`)).toEqual(['https://h/a']);
    expect((await read(`<constructor>${entry}</constructor>`)).faults).toEqual([
      '1 no-sitemap <constructor>',
    ]);
  });
});

const named = ({ entries }: Read): object[] =>
  entries.map(({ url, line, lastmod = '' }) => ({ url, line, lastmod }));

describe('feeds and kin', () => {
  it('RSS names the pages of its items, with the dates of mail', async () => {
    const rss =
      '<rss version="2.0" xmlns:atom="a"><channel>\n<link>https://h/</link><atom:link href="https://h/feed"/>\n' +
      '<item><title>one</title>\n<link>https://h/1?a&amp;b</link><atom:link href="https://h/no"/><pubDate>Tue, 05 Mar 2024 10:00:00 GMT</pubDate></item>' +
      '<item><title>two</title></item></channel></rss>';
    const got = await read(rss);
    expect([got.format, named(got), got.faults]).toEqual([
      'rss',
      [{ url: 'https://h/1?a&b', line: 3, lastmod: 'Tue, 05 Mar 2024 10:00:00 GMT' }],
      ['4 no-url'],
    ]);
    const rdf =
      '<?xml version="1.0"?><rdf:RDF xmlns="http://purl.org/rss/1.0/"><channel><link>https://h/</link></channel><item><link>https://h/1</link><dc:date>2024-03-05</dc:date></item></rdf:RDF>';
    expect(named(await read(rdf))).toEqual([{ url: 'https://h/1', line: 1, lastmod: '2024-03-05' }]);
    expect([rss, rdf].map((text) => looksLikeSitemap(Buffer.from(text)))).toEqual([true, true]);
  });

  it('Atom names the page of each entry, and no other of its links', async () => {
    const entry = (links: string): string => `<entry>${links}<published>2024-03-04</published></entry>`;
    const links =
      '<link rel="self" href="https://h/self"/><link href="https://h/1?a&amp;b" rel="alternate"/><link rel="enclosure" href="https://h/1.mp3"/>';
    const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://h/"/>${entry(links)}</feed>`;
    const got = await read(atom);
    expect([got.format, named(got)]).toEqual([
      'atom',
      [{ url: 'https://h/1?a&b', line: 1, lastmod: '2024-03-04' }],
    ]);
    expect(looksLikeSitemap(Buffer.from(atom))).toBe(true);
    expect(looksLikeSitemap(Buffer.from('<feed><entry/></feed>'))).toBe(false);
  });

  it('references of feeds are relative to xml:base, that to the one around it, the outermost to the feed (RFC 4287 §2)', async () => {
    const atom =
      '<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/blog/">' +
      '<entry><link href="one"/></entry>' +
      '<entry xml:base="2024/"><link href="two"/></entry>' +
      '<entry><link xml:base="https://other/x/" href="../three"/></entry>' +
      '<entry><link href="https://h/four"/></entry></feed>';
    expect(await urls(atom)).toEqual([
      'https://h/blog/one',
      'https://h/blog/2024/two',
      'https://other/three',
      'https://h/four',
    ]);
    const rss = (base: string): string =>
      `<rss><channel${base}><item><link>one.html</link></item><item><link>/two</link></item></channel></rss>`;
    expect(await urls(rss(''))).toEqual(['https://h/feeds/one.html', 'https://h/two']);
    expect(await urls(rss(' xml:base="https://o/a/"'))).toEqual(['https://o/a/one.html', 'https://o/two']);
  });

  it('an item of RSS without a link has its guid, if that is a permalink', async () => {
    const rss = (guid: string): string => `<rss><channel><item>${guid}</item></channel></rss>`;
    const link = '<link>https://h/link</link>';
    expect(await urls(rss('<guid>https://h/1</guid>'))).toEqual(['https://h/1']);
    expect(await urls(rss('<guid isPermaLink="true">https://h/1</guid>'))).toEqual(['https://h/1']);
    expect(await urls(rss(`<guid>https://h/1</guid>${link}`))).toEqual(['https://h/link']);
    for (const none of ['<guid isPermaLink="false">https://h/1</guid>', '<guid>tag:h,2024:1</guid>'])
      expect((await read(rss(none))).faults).toEqual(['1 no-url']);
  });

  it('JSON Feed names the page of each item', async () => {
    const items = [
      { url: 'https://h/1', date_published: '2024-03-04T00:00:00Z', date_modified: '2024-03-05T00:00:00Z' },
      { external_url: '../two' },
      { title: 'three' },
      'four',
    ];
    const feed = JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', title: 'h', items });
    const got = await read(feed);
    expect([got.format, named(got), got.faults]).toEqual([
      'json',
      [
        { url: 'https://h/1', line: 1, lastmod: '2024-03-05T00:00:00Z' },
        { url: 'https://h/two', line: 1, lastmod: '' },
      ],
      ['1 no-url', '1 no-url'],
    ]);
    const escaped = feed.replaceAll('/', '\\/');
    expect(await urls(gzipSync(escaped))).toEqual(['https://h/1', 'https://h/two']);
    expect([feed, escaped].map((text) => looksLikeSitemap(Buffer.from(text)))).toEqual([true, true]);
    expect(looksLikeSitemap(Buffer.from('{"version": "1.1", "items": []}'))).toBe(false);
    const torn = await read(feed.slice(0, -9));
    expect([torn.entries, torn.cut, torn.faults]).toEqual([[], { brokenSitemaps: 1 }, ['1 breaks-off']]);
    const large = await read(`${feed.slice(0, -1)},"more":"${'x'.repeat(4_000_000)}"}`);
    expect([large.entries, large.cut, large.faults]).toEqual([[], { sitemapBytes: 1 }, ['1 too-large']]);
  });

  it('an entry may have its URL without a <loc>, which is said', async () => {
    const got = await read(
      '<sitemapindex><sitemap>\nhttps://h/1.xml?a&amp;b\n</sitemap><sitemap> <loc>https://h/2.xml</loc>x</sitemap></sitemapindex>',
    );
    expect(got.entries.map(({ kind, url }) => [kind, url])).toEqual([
      ['sitemap', 'https://h/1.xml?a&b'],
      ['sitemap', 'https://h/2.xml'],
    ]);
    expect(got.faults).toEqual(['1 no-loc https://h/1.xml?a&b']);
  });

  it('the date of a film is none of its page', async () => {
    const film = '<video:video><video:publication_date>2007-11-05</video:publication_date></video:video>';
    expect(named(await read(`<urlset><url><loc>https://h/a</loc>${film}</url></urlset>`))).toEqual([
      { url: 'https://h/a', line: 1, lastmod: '' },
    ]);
  });

  it('a page has the dates of news, and the same page in other languages, each once', async () => {
    const languages = ['de', 'fr']
      .map((name) => `<xhtml:link rel="alternate" hreflang="${name}" href="https://h/${name}"/>`)
      .join('');
    const news =
      '<news:news><news:publication_date>2024-05-06T07:08+02:00</news:publication_date></news:news>';
    const page = (url: string): string => `<sm:url>${languages}<sm:loc>${url}</sm:loc>${news}</sm:url>`;
    const got = await read(`<sm:urlset>${page('https://h/de')}${page('https://h/en')}</sm:urlset>`);
    expect(got.entries.map(({ url, lastmod }) => [url, lastmod])).toEqual(
      ['https://h/de', 'https://h/fr', 'https://h/en', 'https://h/de'].map((url) => [
        url,
        '2024-05-06T07:08+02:00',
      ]),
    );
  });

  it('in other languages every page of a full sitemap may name every other: that costs no entry', async () => {
    const locs = many(50_000);
    const page = (loc: string, at: number): string =>
      `<url><loc>${loc}</loc>${[1, 2, 3]
        .map((step) => `<xhtml:link rel="alternate" href="${locs[(at + step) % locs.length] ?? ''}"/>`)
        .join('')}</url>`;
    const got = await read(`<urlset>${locs.map(page).join('')}</urlset>`);
    expect([got.cut, got.faults]).toEqual([{}, []]);
    expect(new Set(got.entries.map(({ url }) => url)).size).toBe(50_000);
    expect(got.entries.length).toBe(100_000);
  });

  it('in more languages than a sitemap may have entries: those beyond are counted', async () => {
    const links = many(50_005).map((url) => `<xhtml:link rel="alternate" href="${url}"/>`);
    const got = await read(`<urlset><url><loc>https://h/all</loc>${links.join('')}</url></urlset>`);
    expect([got.entries.length, got.cut]).toEqual([50_001, { sitemapEntries: 5 }]);
    const pages = [links.slice(0, 30_000), links.slice(30_000)].map(
      (some, at) => `<url><loc>https://h/all/${String(at)}</loc>${some.join('')}</url>`,
    );
    const two = await read(`<urlset>${pages.join('')}</urlset>`);
    expect([two.entries.length, two.cut]).toEqual([50_002, { sitemapEntries: 5 }]);
  });

  it.each(['utf16le', 'latin1'] as const)('may be written in %s', async (encoding) => {
    const mark = encoding === 'utf16le' ? '\ufeff' : '<?xml version="1.0" encoding="ISO-8859-1"?>';
    const got = await read(Buffer.from(`${mark}\n${urlset('https://h/é').replace(/^.*\n/, '')}`, encoding));
    expect([named(got), got.faults]).toEqual([[{ url: 'https://h/é', line: 2, lastmod: '' }], []]);
  });
});

describe('faults', () => {
  it.each<[string, string | Uint8Array, string[]]>([
    ['nothing', ' \n', ['1 empty']],
    ['a page', '<!doctype html>\n<html><body>gone</body></html>', ['1 no-sitemap <html>']],
    ['words', 'https://h/a\r\nmoved\r\nhttps://h/b', ['2 bad-url moved']],
    ['an entry without a URL', '<urlset>\n<url>\n<lastmod>2024-01-01</lastmod></url></urlset>', ['2 no-url']],
    [
      'hints that are none',
      '<urlset>\n<url><loc>https://h/a</loc>\n<lastmod>yesterday</lastmod><changefreq>often</changefreq>\n<priority>7</priority></url></urlset>',
      ['3 bad-date yesterday', '3 bad-frequency often', '4 bad-priority 7'],
    ],
    [
      'a file that breaks off',
      '<urlset>\n<url><loc>https://h/a</loc></url>\n<url><lo',
      ['3 no-url', '3 breaks-off'],
    ],
    ['entities', '<!DOCTYPE u [<!ENTITY a "aaaa">]>\n<urlset></urlset>', ['1 entities']],
    [
      'an encoding that nobody knows',
      '<?xml version="1.0" encoding="klingon"?><urlset></urlset>',
      ['1 encoding klingon'],
    ],
    [
      'torn packing',
      gzipSync('\n'.repeat(100_000) + urlset('https://h/a')).subarray(0, 60),
      ['1 broken-packing'],
    ],
  ])('%s', async (_name, body, faults) => {
    expect((await read(body)).faults).toEqual(faults);
  });

  it('are placed right however far they are, twenty of them kept', async () => {
    const page = (at: number): string =>
      `<!--${'\n'.repeat(99)}--><url>\n<loc>https://h/${String(at)}</loc></url>`;
    const many = Array.from({ length: 5_000 }, (_, at) => page(at));
    many[4_321] = `<url></url>${many[4_321] ?? ''}`;
    const got = await read(`<urlset>${many.join('')}</urlset>`);
    expect(got.faults).toEqual([`${String(4_321 * 100 + 1)} no-url`]);
    expect(got.entries.map(({ line }) => line)).toEqual(many.map((_, at) => 100 * (at + 1)));
    expect((await read(`<urlset>${'<url></url>'.repeat(30)}</urlset>`)).faults.length).toBe(20);
  });
});
