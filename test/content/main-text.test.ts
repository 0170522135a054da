import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readShown } from '../../content/extract.ts';
import { extract } from './page.ts';
import { runs } from '../support/runs.ts';

const sentence = (n: number): string =>
  `Sentence ${String(n)} of the story, told at length, with a comma or two, so that it counts as a paragraph.`;
const story = Array.from({ length: 8 }, (_, n) => sentence(n));
const paragraphs = story.map((text) => `<p>${text}</p>`).join('\n');
const menu = `<ul>${Array.from({ length: 12 }, (_, n) => `<li><a href=/m${String(n)}>Menu entry ${String(n)}</a>`).join('')}</ul>`;
const aside =
  `<p>Subscribe to our letter, sent each week, with news, offers, and more of all that you like.</p>`.repeat(
    3,
  );

describe('the main text', () => {
  it.each([
    ['a plain page', `${menu}<div>${paragraphs}</div>${menu}`],
    ['<main>', `<div>${menu}</div><main>${paragraphs}</main><div class="sidebar">${aside}</div>`],
    [
      '<article> among others',
      `<div id=wrap><article>${paragraphs}</article><div class="related">${aside}${menu}</div></div>`,
    ],
    [
      'class names',
      `<div class="header">${menu}</div><div class="post-content">${paragraphs}</div><div class="widget">${aside}</div>`,
    ],
    [
      'comments',
      `<div class="entry">${paragraphs}</div><div id="comments">${paragraphs.replaceAll('Sentence', 'Comment')}</div>`,
    ],
    ['a table for layout', `<table><tr><td>${menu}<td>${paragraphs}<td class="sidebar">${menu}</table>`],
    ['line breaks', `${menu}<div>${story.join('<br><br>')}</div>`],
    [
      'parts in boxes',
      `<div class=page>${menu}<div>${paragraphs.slice(0, paragraphs.indexOf('<p>Sentence 4'))}</div><div class="share"><a href=/s>Share</a></div><div>${paragraphs.slice(paragraphs.indexOf('<p>Sentence 4'))}</div></div>`,
    ],
    ['hidden parts', `<div hidden>${aside}</div><div role=dialog>${aside}</div><div>${paragraphs}</div>`],
    [
      'a misleading name around all',
      `<body class="has-nav menu"><div class="sidebar-layout">${menu}<div>${paragraphs}</div></div>`,
    ],
  ])('is found by %s', (_, html) => {
    expect(extract(html).main.split('\n')).toEqual(story);
  });

  const remark = (n: number): string =>
    `I read this with care and disagree, number ${String(n)}, for reasons of my own that I will tell at length.`;
  const teaser = (n: number): string =>
    `<div class=card><h3><a href=/t${String(n)}>Another story, number ${String(n)}</a></h3><p>It begins so, it goes on, and for the rest, number ${String(n)}, go there.</p></div>`;
  const many = (count: number, make: (n: number) => string): string =>
    Array.from({ length: count }, (_, n) => make(n)).join('');
  const [half, rest] = [story.slice(0, 4), story.slice(4)];
  const lines = (of: readonly string[]): string => of.map((line) => `<p>${line}</p>`).join('');

  it.each([
    [
      '80 comments in a list that is called so',
      `<body class="single comments-open"><div id=content><div class=entry-content>${paragraphs}</div><ol class=commentlist>${many(80, (n) => `<li class=comment><div class=vcard>Anna says</div><p>${remark(n)}</p>`)}</ol></div>`,
    ],
    [
      'remarks that are called nothing, by their shape',
      `<div class=k1><div class=k2>${paragraphs}</div>${many(30, (n) => `<div class=k3><div><b>Anna</b> <a href=/c>1 March, 10:${String(n)}</a></div><div><p>${remark(n)}</p></div></div>`)}</div>`,
    ],
    [
      'a box for each paragraph',
      `<div class=wrap>${menu}<div class=col>${story.map((line) => `<section class="part widget-text"><div><div class=inner><p>${line}</p></div></div></section>`).join('')}</div></div>`,
    ],
    [
      'boxes of unlike depth',
      `${menu}<div class=all>${story.map((line, n) => `<div class=row>${'<div>'.repeat(n % 4)}<p>${line}</p>${'</div>'.repeat(n % 4)}</div>`).join('')}</div>`,
    ],
    [
      'two sections with something between',
      `<div class=page>${menu}<div class=one>${lines(half)}</div><div class=ad>Advertisement</div><div class=two>${lines(rest)}</div></div>`,
    ],
    [
      'a second copy, in one block',
      `<div class=a><h1>x</h1><div>${paragraphs}</div></div><div class=b>${story.join(' ')}</div>`,
    ],
    [
      'a second copy, for small screens',
      `<div class=wide>${paragraphs}</div><div class=small>${paragraphs}</div>`,
    ],
    ['more teasers than text', `<div class=l>${lines(story)}</div><div class=r>${many(30, teaser)}</div>`],
    [
      'captions of a gallery',
      `<div class=story>${lines(half)}<div>${many(20, (n) => `<figure><img src=x><figcaption><p>${remark(n)}</p></figcaption></figure>`)}</div>${lines(rest)}</div>`,
    ],
    [
      'labels that come again and again',
      `<div class=story>${story.map((line) => `<p>${line}</p><p>Advertisement</p>`).join('')}</div>`,
    ],
    [
      'dates and counters in boxes of their own',
      `<div class=story><div><div>3 March 2020, 10:15</div><div>1,204 views</div></div>${paragraphs}</div>`,
    ],
  ])('is told from %s', (_, html) => {
    expect(extract(html).main.split('\n')).toEqual(story);
  });

  it.each([
    [
      'articleBody',
      (text: string) =>
        `<script type="application/ld+json">${JSON.stringify({ '@type': 'Article', articleBody: text })}</script>`,
    ],
    ['the description', (text: string) => `<meta name=description content="${text.slice(0, 100)}">`],
    ['the title', () => '<title>How it came about in the end | Site</title>'],
  ])('is where %s says', (_, head) => {
    const boxes = many(9, (n) => `<div class=x><h4>More, ${String(n)}</h4><p>${remark(n)}</p></div>`);
    const html = `${head(story.join(' '))}<div class=p><div class=q><h2>How it came about in the end</h2>${paragraphs}</div><div class=r>${boxes}</div></div>`;
    expect(extract(html).main.split('\n').slice(1)).toEqual(story);
  });

  it('is what members write, where that is all there is', () => {
    const post = (n: number): string =>
      `<div class=comment><div><a href=/u>Anna</a> 3 March 2020, 10:${String(n)}</div><div class=comment-text>${remark(n)}</div></div>`;
    const { main } = extract(
      `${menu}<div class=comments><h1>Who agrees with it?</h1>${many(12, post)}</div>`,
    );
    for (let n = 0; n < 12; n++) expect(main).toContain(remark(n));
  });

  it('is the few words of a short page', () => {
    const html = `<div class=cookie-notice><p>${sentence(9)} ${sentence(10)}</p></div>${menu}<div class=x><h1>Hours</h1><p>We are open every day, from nine to five.</p></div><div class=footer><p>All rights reserved, and so on and so forth.</p></div>`;
    expect(extract(html).main).toBe('Hours\nWe are open every day, from nine to five.');
  });

  it('keeps headings, lists, code, tables and quotes that belong to it', () => {
    const html = `${menu}<article><h1>Title</h1>${paragraphs}<h2>Code</h2><pre>let x = 1;</pre><ul><li>one<li>two <a href=/x>more</a></ul>
      <h2>Numbers</h2><table><tr><th>a<td>1</table><blockquote>${sentence(9)}</blockquote><h2>See also</h2>${menu}</article>`;
    expect(extract(html).main.split('\n')).toEqual([
      ...['Title', ...story, 'Code', 'let x = 1;', 'one', 'two more', 'Numbers', 'a', '1', sentence(9)],
    ]);
  });

  it('counts its words, where they are fewer', () => {
    const page = extract(`<main>${paragraphs}</main><div class="sidebar">${aside}</div>`);
    expect(page.words).toBe(8 * 20 + 3 * 17);
    expect(page.meta.mainWords).toBe(8 * 20);
    expect(extract(paragraphs).meta.mainWords).toBeUndefined();
  });

  it('is all of a page that has nothing else, or little', () => {
    for (const html of ['', 'a', '<p>short', '<a href=/x>link</a>', `<ul><li>a<li>b</ul>`]) {
      expect(extract(html).main).toBe(extract(html).text);
    }
    expect(extract('Plain text.\nOf lines.', { contentType: 'text/plain' }).main).toBe(
      'Plain text. Of lines.',
    );
  });

  it('is made of lines of the text, in their order, for any page', () => {
    const piece = fc.constantFrom(
      ...[
        '<div>',
        '</div>',
        '<p>',
        '</p>',
        '<li>',
        '<ul>',
        '</ul>',
        '<h2>',
        '</h2>',
        '<br>',
        '<td>',
        '<table>',
        '</table>',
      ],
      ...[
        '<article>',
        '</article>',
        '<main>',
        '<div class="sidebar">',
        '<p class=byline>',
        '<a href=/x>',
        '</a>',
        '<nav>',
        '</nav>',
      ],
      ...[
        sentence(1),
        sentence(2),
        'short',
        ' ',
        'e\u0301',
        '漢字',
        '<section id=comments>',
        '</section>',
        '<form>',
        '<pre>',
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const { text, main, meta, words } = extract(pieces.join(''));
        const lines = text.split('\n');
        let at = -1;
        for (const line of main.split('\n')) {
          at = lines.indexOf(line, at + 1);
          expect(at).toBeGreaterThanOrEqual(0);
        }
        expect(meta.mainWords ?? words).toBeLessThanOrEqual(words);
      }),
      { numRuns: runs(2_000) },
    );
  });
});

it('shows links with words, rel and position, and images', () => {
  const html = `<base href=/b/><nav><a href=n rel="nofollow">Go <b>on</b></a></nav><div class=sidebar><p>${menu}</p></div>
    <main>${paragraphs}<p>${sentence(9)} <a href="../in">inside</a> <a href=/pic><img src=p.png alt="A picture"></a></p></main>
    <aside><a href=/as>side</a></aside><footer><a href=mailto:x>no</a><a href=#top>top</a></footer><img src=data:x>`;
  const shown = readShown(Buffer.from(html), 'text/html', 'https://example.com/dir/page');
  expect(shown.anchors.filter(({ text }) => !text.startsWith('Menu'))).toEqual([
    { url: 'https://example.com/b/n', text: 'Go on', rel: 'nofollow', position: 'navigation' },
    { url: 'https://example.com/in', text: 'inside', rel: '', position: 'main' },
    { url: 'https://example.com/pic', text: 'A picture', rel: '', position: 'main' },
    { url: 'https://example.com/as', text: 'side', rel: '', position: 'aside' },
    { url: 'https://example.com/b/', text: 'top', rel: '', position: 'footer' },
  ]);
  expect(shown.anchors[1]).toMatchObject({ text: 'Menu entry 0', position: 'other' });
  expect(shown.images).toEqual([{ url: 'https://example.com/b/p.png', alt: 'A picture' }]);
  const { text, main } = extract(html);
  expect(shown).toMatchObject({ text, main });
});
