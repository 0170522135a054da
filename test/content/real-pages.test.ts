/**
 * A real site against a plain reading of its files: the HTML of Debian's package postgresql-doc-15.
 * @module-tag long
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { extract } from './page.ts';

const folder = '/usr/share/doc/postgresql-doc-15/html';

const decodeEntities = (text: string) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

/** The generator of these pages quotes every attribute and escapes every bracket, so expressions can read them. */
function readPlainly(source: string, url: string): { title: string; links: string[] } {
  const title = /<title>([^]*?)<\/title>/.exec(source)?.[1] ?? '';
  const links = new Set<string>();
  for (const [, name, attributes = ''] of source.matchAll(/<(a|link)\b([^>]*)>/g)) {
    const href = / href="([^"]*)"/.exec(attributes)?.[1];
    if (href === undefined || (name === 'link' && !/ rel="(?:next|prev)"/.test(attributes))) continue;
    const target = URL.parse(decodeEntities(href), url);
    const address = target?.href.replace(/#.*/, '') ?? '';
    if (/^https?:/.test(address) && address !== url) links.add(address);
  }
  return { title: decodeEntities(title).replace(/\s+/g, ' ').trim(), links: [...links] };
}

describe.skipIf(!existsSync(folder))('the pages of postgresql-doc-15', () => {
  it('have the titles and links that a plain reading finds, and English text', () => {
    const files = readdirSync(folder).filter((name) => name.endsWith('.html'));
    expect(files.length).toBeGreaterThan(1_000);
    for (const name of files) {
      const body = readFileSync(`${folder}/${name}`);
      const url = `http://localhost/html/${name}`;
      const page = extract(body, { url, contentType: 'text/html', maxLinks: 100_000 });
      const { title, links } = readPlainly(body.toString('utf8'), url);
      expect({ name, title: page.title, links: page.links, cut: page.cut }).toEqual({
        name,
        title,
        links,
        cut: {},
      });
      expect([name, page.language, page.charset]).toEqual([name, 'en', 'utf-8']);
      expect(page.words).toBeGreaterThan(10);
    }
  });
});
