/** Rules for pages: typed fields, parts of the text, links; and hostile pages, which cost their budget and no more. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pageRules } from '../../contracts/http/page-rules.ts';
import type { PageFields } from '../../contracts/page-rules.ts';
import { applyRules, rulesThread } from '../../content/rules.ts';
import { readByRules } from '../../content/rules/read.ts';
import { readValue } from '../../content/rules/fields.ts';
import { extract, pageUrl } from './page.ts';

const rulesOf = (rules: object) => pageRules.parse(rules);
const read = (html: string, rules: object) =>
  readByRules(Buffer.from(html), 'text/html', pageUrl, rulesOf(rules));
const fields = (html: string, rules: object): PageFields | null | undefined =>
  read(html, { fields: rules })?.fields;
/** The page with its rules applied, as a crawl reads it. */
const ruled = (html: string, rules: object) =>
  extract(html, { ruled: read(html, rules), followed: rulesOf(rules).links.follow });

describe('numbers', () => {
  const none = (): null => null;
  const number = (text: string, decimal?: '.' | ',') => readValue(text, { type: 'number', decimal }, none);

  it.each([
    ['$1,299.50', 1299.5],
    ['1.299,50 €', 1299.5],
    ['from 4,5 stars', 4.5],
    ['1 299 kr', 1299],
    ['1’299.–', 1299],
    ['1,234,567', 1234567],
    ['1.299', 1.299],
    ['-12', -12],
    ['−3.5 °C', -3.5],
    ['A-5', 5],
    ['.99', 0.99],
    ['-0', 0],
    ['none at all', undefined],
    ['9'.repeat(41), undefined],
  ])('of %j is %j', (text, expected) => {
    expect(number(text)).toBe(expected);
  });

  it.each([
    ['1.299 €', 1299],
    ['1.299.000', 1299000],
    ['12,5', 12.5],
    ['1,299.50', 1299.5],
    ['0,999', 0.999],
  ])('of %j with a decimal comma is %j', (text, expected) => {
    expect(number(text, ',')).toBe(expected);
  });

  it('are read back in any style that tells which sign is which', () => {
    const style = fc.constantFrom(
      { locale: 'en-US', decimal: '.' as const },
      { locale: 'de-DE', decimal: ',' as const },
      { locale: 'fr-FR', decimal: ',' as const },
      { locale: 'de-CH', decimal: '.' as const },
    );
    fc.assert(
      fc.property(
        fc.integer({ min: -1e11, max: 1e11 }),
        fc.nat(4),
        style,
        (digits, places, { locale, decimal }) => {
          const value = digits / 10 ** places;
          const text = value.toLocaleString(locale, { maximumFractionDigits: places });
          expect(number(`about ${text} a year`, decimal)).toBe(value === 0 ? 0 : value);
        },
      ),
    );
  });

  it('that are whole are integers, and others are not', () => {
    const integer = (text: string) => readValue(text, { type: 'integer' }, none);
    expect([integer('12 pieces'), integer('1,299'), integer('1.5'), integer('9007199254740993')]).toEqual([
      ...[12, 1299, undefined, undefined],
    ]);
  });
});

describe('fields', () => {
  const shop = `<!doctype html><base href="/shop/"><h1> Blue <b>lamp</b></h1><div class="price">€ 1.299,50</div>
    <meta itemprop="sku" content="L-77"><time datetime="2031-05-04T10:00:00+02:00">last week</time>
    <a class="buy" href="cart?id=7#now">buy</a><img src="lamp.png"><ul><li>metal<li>glass<li></ul>
    <p class="text">One<br>two</p><span data-stock="no">x</span><i class="sale"></i>`;

  it('have the types that the rules say', () => {
    expect(
      fields(shop, {
        name: { select: 'h1' },
        price: { select: '.price', type: 'number' },
        sku: { select: '[itemprop=sku]' },
        seen: { select: 'time', type: 'date' },
        buy: { select: '.buy', type: 'url' },
        picture: { select: 'img', type: 'url' },
        materials: { select: 'li', many: true },
        text: { select: '.text' },
        stock: { select: '[data-stock]', type: 'boolean', attribute: 'data-stock' },
        sale: { select: '.sale', type: 'boolean' },
        used: { select: '.used', type: 'boolean' },
      }),
    ).toEqual({
      ...{ name: 'Blue lamp', price: 1299.5, sku: 'L-77', seen: '2031-05-04T10:00:00+02:00' },
      ...{ buy: 'https://example.com/shop/cart?id=7', picture: 'https://example.com/shop/lamp.png' },
      ...{ materials: ['metal', 'glass'], text: 'One\ntwo', stock: false, sale: true, used: false },
    });
  });

  it('are null where the page has no such value, and say what is not of their type', () => {
    const found = read(shop, {
      fields: {
        none: { select: '.none' },
        all: { select: '.none', many: true },
        attribute: { select: 'h1', attribute: 'title' },
        wrong: { select: 'h1', type: 'number' },
        wrongs: { select: 'h1, .price', type: 'number', many: true },
      },
    });
    expect(found?.fields).toEqual({ none: null, all: [], attribute: null, wrong: null, wrongs: [1299.5] });
    expect(found?.cut).toEqual({ fields: 0, fieldsUnread: 2 });
    const text = 'Blue lamp';
    expect(found?.unread).toEqual([
      { field: 'wrong', type: 'number', text },
      { field: 'wrongs', type: 'number', text },
    ]);
  });

  it('come from the source that devtools show, with a <tbody> that nobody wrote', () => {
    expect(
      fields('<table><tr><td>7</table>', { cell: { select: 'table > tbody > tr > td', type: 'integer' } }),
    ).toEqual({
      cell: 7,
    });
  });

  it('have limits, and what is left out is counted', () => {
    const page = `<h1>${'x'.repeat(5_000)}</h1>${'<p>y</p>'.repeat(300)}`;
    const found = read(page, { fields: { long: { select: 'h1' }, many: { select: 'p', many: true } } });
    expect(found?.fields?.['long']).toHaveLength(4_000);
    expect(found?.fields?.['many']).toHaveLength(200);
    expect(found?.cut).toEqual({ fields: 101, fieldsUnread: 0 });
    const full = read(`<p>${'x'.repeat(4_000)}</p>`.repeat(20), {
      fields: { all: { select: 'p', many: true } },
    });
    expect(full?.fields?.['all']).toHaveLength(8);
    expect(full?.cut.fields).toBe(12);
  });

  it('of a body that is no markup are none', async () => {
    const rules = rulesOf({ fields: { a: { select: 'a' } } });
    expect(await applyRules(Buffer.from('plain'), 'text/plain', pageUrl, rules)).toBeNull();
  });

  it('of XHTML are found too', () => {
    const page =
      '<html xmlns="http://www.w3.org/1999/xhtml"><body><script src="a"/><p>kept</p></body></html>';
    const rules = rulesOf({ fields: { p: { select: 'p' } }, include: ['body'] });
    const found = readByRules(Buffer.from(page), 'application/xhtml+xml', pageUrl, rules);
    expect(found?.fields).toEqual({ p: 'kept' });
    expect(extract(page, { contentType: 'application/xhtml+xml', ruled: found }).text).toBe('kept');
  });
});

describe('parts', () => {
  const page = `<title>T</title><h1>Head</h1><nav><a href="/n">menu</a></nav><div class="ad">buy now <a href="/ad">ad</a></div>
    <article><p>Story one.</p><aside>Box <b>text</b></aside></article><div id="more"><p>Story two.</p></div>`;

  it('that are excluded are no part of the text; links and title are those of the whole page', () => {
    const found = ruled(page, { exclude: ['.ad', 'article'] });
    expect(found).toMatchObject({ title: 'T', text: 'Head\nStory two.', words: 3, cut: {} });
    expect(found.links).toEqual(['https://example.com/n', 'https://example.com/ad']);
    expect(found.whole.text).toBe('Head\nbuy now ad\nStory one.\nStory two.');
  });

  it('that are included are the text and the main text, each once, asides too if they are named', () => {
    const found = ruled(page, { include: ['article', 'article p', 'aside', '#more'] });
    expect(found).toMatchObject({ text: 'Story one.\nStory two.', main: 'Story one.\nStory two.' });
    expect(ruled(page, { include: ['aside'] }).text).toBe('Box text');
    expect(ruled(page, { include: ['#more, h1'], exclude: ['h1'] }).text).toBe('Story two.');
  });

  it('that match nothing leave the page as it is, or without text', () => {
    expect(ruled(page, { exclude: ['.none'] }).text).toBe(extract(page).text);
    expect(ruled(page, { include: ['.none'] })).toMatchObject({ text: '', main: '', words: 0 });
  });

  it('of headings are those of the text', () => {
    expect(ruled(page, { include: ['article'] }).meta.headings).toBeUndefined();
    expect(extract(page).meta.headings).toEqual([{ level: 1, text: 'Head' }]);
  });
});

describe('links', () => {
  const page = `<a href="/a" rel="nofollow">a</a><a href="/b" rel="ugc sponsored">b</a><a href="/c" rel="ugc">c</a>`;
  const links = (follow: readonly string[], html = page) => {
    const found = ruled(html, { links: { follow } });
    return [...found.links.map((url) => new URL(url).pathname), found.cut.nofollow ?? 0];
  };

  it('are followed by the relations that the rules name, and by no other', () => {
    expect(links([])).toEqual([3]);
    expect(links(['nofollow'])).toEqual(['/a', 2]);
    expect(links(['ugc'])).toEqual(['/c', 2]);
    expect(links(['nofollow', 'ugc', 'sponsored'])).toEqual(['/a', '/b', '/c', 0]);
  });

  it('of a page that asks as a whole are not followed', () => {
    expect(links(['nofollow'], `<meta name="robots" content="nofollow">${page}`)).toEqual([3]);
  });
});

describe('rules that cannot be used', () => {
  const problems = (rules: unknown) =>
    pageRules.safeParse(rules).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);

  it.each([
    [{ fields: { price: { select: 'a[' } } }, /^fields\.price\.select: .*not a CSS selector.*Expected name/],
    [{ exclude: ['p', ':nope'] }, /^exclude\.1: .*Unknown pseudo-class :nope/],
    [{ include: ['a::before'] }, /^include\.0: .*Pseudo-elements/],
    [{ include: [' '] }, /^include\.0: .*it is empty/],
    [{ fields: { 'a b': { select: 'a' } } }, /^fields\.a b: /],
    [{ fields: { __proto__x: { select: 'a' } } }, /^fields\.__proto__x/],
    [{ fields: { a: { select: 'a', decimal: ',' } } }, /^fields\.a\.decimal: it is for numbers/],
    [{ feilds: {} }, /feilds/],
    [{ links: { follow: ['noopener'] } }, /^links\.follow\.0/],
  ])('%j', (rules, expected) => {
    expect(problems(rules)?.[0]).toMatch(expected);
  });

  it('have too many fields', () => {
    const named = Array.from({ length: 51 }, (_, at) => [`f${String(at)}`, { select: 'a' }] as const);
    expect(problems({ fields: Object.fromEntries(named) })).toEqual([
      'fields: there may be at most 50 fields',
    ]);
  });
});

describe('a hostile page costs its budget and no more', { tags: ['long'] }, () => {
  const thread = rulesThread({ heapMb: 64, bufferBytes: 64 * 1024 * 1024, workMs: 3_000 });
  const task = (html: string, rules: object) => ({
    ...{ body: Buffer.from(html), contentType: 'text/html', url: pageUrl, rules: rulesOf(rules) },
  });
  const good = async (): Promise<void> => {
    // The first page of a new thread has the start of the thread in its time.
    const lasting = rulesThread({ heapMb: 64, bufferBytes: 64 * 1024 * 1024, workMs: 60_000 });
    expect(await lasting.run(task('<p>fine', { fields: { p: { select: 'p' } } }))).toMatchObject({
      fields: { p: 'fine' },
    });
  };

  it('in time: a selector that takes for ever', async () => {
    const page = '<i></i>'.repeat(3_000);
    const forEver = task(page, { fields: { x: { select: 'b ~ i ~ i ~ i ~ i' } } });
    expect(await thread.run(forEver)).toBe('too-slow');
    await good();
  });

  it('in time: 100,000 nested elements', async () => {
    expect(await thread.run(task('<div>'.repeat(100_000), { include: ['div'] }))).toBe('too-slow');
    await good();
  });

  it('in memory: 8 MB of elements', async () => {
    const passed = await thread.run(task('<p>x'.repeat(2_000_000), { fields: { p: { select: 'p' } } }));
    expect(['too-much-memory', 'too-slow']).toContain(passed);
    await good();
  });

  it('in depth: a tree that cannot be written down', async () => {
    const patient = rulesThread({ heapMb: 256, bufferBytes: 256 * 1024 * 1024, workMs: 120_000 });
    expect(await patient.run(task('<b>'.repeat(20_000) + 'x', { include: ['b'] }))).toBe('too-deep');
  });

  it('and is read without its rules, which is counted', async () => {
    const one = rulesOf({ fields: { p: { select: 'p', type: 'text' } }, include: ['p'] });
    const paragraph = `<p>${'word '.repeat(1_600_000)}</p>`;
    const found = await applyRules(Buffer.from(paragraph), 'text/html', pageUrl, one);
    // Eight megabytes of one paragraph may pass on a quick machine: then the value is cut, and that is counted.
    expect(found?.cut).toSatisfy((cut: object) => 'rulesTooSlow' in cut || 'fields' in cut);
    const over = extract(paragraph, {
      ruled: { fields: null, unread: [], parts: null, cut: { rulesTooSlow: 1 } },
    });
    expect(over).toMatchObject({ fields: null, cut: { rulesTooSlow: 1 } });
    expect(over.words).toBeGreaterThan(100_000);
  });
});
