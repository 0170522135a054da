/** Articles that a page shows in part, and tells whole in its structured data. */
import { describe, expect, it } from 'vitest';
import { pageRules } from '../../contracts/http/page-rules.ts';
import { readByRules } from '../../content/rules/read.ts';
import { processorMs } from '../support/processor-time.ts';
import { extract, pageUrl } from './page.ts';

const line = (nth: number): string =>
  `Paragraph ${String(nth)} tells what the council said on day ${String(nth * 7)}, and “why” it matters to town number ${String(nth * 13)}.`;
const lines = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, at) => line(from + at));
const shown = (texts: readonly string[]): string => texts.map((text) => `<p>${text}</p>`).join('\n');
const ld = (...bodies: readonly string[]): string =>
  bodies
    .map(
      (articleBody) =>
        `<script type="application/ld+json">${JSON.stringify({ '@type': 'NewsArticle', articleBody })}</script>`,
    )
    .join('');
const page = (body: string): string =>
  `<title>The council</title><nav>menu</nav><h1>The council</h1>${body}<p class="offer">Subscribe to go on reading.</p>`;

describe('an article that is shown in part', () => {
  it.each([
    ['with line breaks', lines(0, 30).join('\n\n')],
    ['with markup', shown(lines(0, 30))],
  ])('is what its data tell: %s', (_, told) => {
    const found = extract(page(shown(lines(0, 4)) + ld(told)));
    expect(found.main.split('\n')).toEqual(lines(0, 30));
    expect(found.text).toMatch(/^The council\nParagraph 0 .*Subscribe to go on reading\.\nParagraph 0 /s);
    expect(found.meta).toMatchObject({ fromState: true, mainWords: 30 * 18 });
    expect(found.words).toBe(4 * 18 + 2 + 5 + 30 * 18);
  });

  it('keeps what rules leave of the page, and goes by what rules choose', () => {
    const html = page(shown(lines(0, 4)) + ld(lines(0, 30).join('\n')));
    const ruled = (rules: object) =>
      extract(html, { ruled: readByRules(Buffer.from(html), 'text/html', pageUrl, pageRules.parse(rules)) });
    const found = ruled({ exclude: ['.offer'] });
    expect(found.main.split('\n')).toEqual(lines(0, 30));
    expect(found.text).not.toContain('Subscribe');
    expect(ruled({ include: ['.offer'] }).text).toBe('Subscribe to go on reading.');
  });
});

describe('the shown text counts', () => {
  it.each([
    ['if it is the same', shown(lines(0, 30)), [lines(0, 30).join('\n')]],
    ['if it is most of it', shown(lines(0, 25)), [lines(0, 30).join('\n')]],
    [
      'where the main text lacks it',
      `<article>${shown(lines(0, 12))}</article><div class="sidebar">${shown(lines(12, 19))}</div>`.replaceAll(
        /[“”]/g,
        '"',
      ),
      [lines(0, 19).join('\n')],
    ],
    ['if the data tell less', shown(lines(0, 30)), [lines(40, 50).join('\n')]],
    ['on a list of articles', shown(lines(0, 5)), [lines(0, 30).join('\n'), lines(30, 60).join('\n')]],
  ])('%s', (_, body, told) => {
    const found = extract(page(body + ld(...told)));
    expect(found).toMatchObject({ text: extract(page(body)).text, main: extract(page(body)).main });
    expect(found.meta.fromState).toBeUndefined();
  });
});

it('half a megabyte is compared in linear time', () => {
  const html = page(shown([...lines(0, 10), 'ab '.repeat(300_000)]) + ld('ab'.repeat(200_000)));
  expect(processorMs(() => extract(html))).toBeLessThan(5_000);
});
