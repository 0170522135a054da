/** The text of a page is what people see of it, and its Markdown shows the same. */
import { describe, expect, it } from 'vitest';
import { toMarkdown } from '../../content/markdown.ts';
import { readShown } from '../../content/extract.ts';
import { extract, pageUrl } from './page.ts';

const type = 'text/html; charset=utf-8';
const markdown = (html: string): string => toMarkdown(Buffer.from(html), type, pageUrl)?.text.trim() ?? '';
const text = (html: string): string => extract(html).text;

describe('what people do not see', () => {
  it.each([
    '<p hidden>no</p>',
    '<p HIDDEN>no</p>',
    '<div hidden><p>no<div>no</div></div>',
    '<div style="color:red; Display : NONE!important"><p>no</div>',
    '<DIV STYLE="visibility:hidden">no</DIV>',
    '<span style="visibility: collapse">no</span>',
    '<span aria-hidden="true">no</span>',
    '<div popover id=tip>no</div>',
    '<dialog>no</dialog>',
    '<dialog aria-label=x><form>no</form></dialog>',
    '<ul><li hidden>no</ul>',
    '<div><span hidden>no</div>',
    '<svg aria-hidden=true><text>no</text></svg>',
    '<table hidden><tr><td>no<table><tr><td>no</table>no</table>',
  ])('is no text: %s', (html) => {
    const page = `<p>One ${html} <p>two`;
    expect(extract(page).text).toBe('One\ntwo');
    expect(extract(page).main).toBe('One\ntwo');
    expect(markdown(page)).toBe('One\n\ntwo');
  });

  it.each([
    '<p hidden=until-found>yes</p>',
    '<p aria-hidden=false style="display:block">yes</p>',
    '<dialog open>yes</dialog>',
    '<details><summary>yes</summary></details>',
    '<div role=tabpanel hidden>yes</div>',
    '<h3><button aria-controls=a aria-expanded=false></button></h3><div id=a hidden>yes</div>',
    '<p hidden><p>yes',
    '<ul><li hidden><li>yes</ul>',
    '<div aria-hidden=true><main>yes</main></div>',
    '<p style="opacity:0">yes</p>',
    '<p title="display:none" class=hidden>yes</p>',
    '<input hidden><img aria-hidden=true>yes',
  ])('what they see, or find, is: %s', (html) => {
    expect(text(html)).toBe('yes');
    expect(markdown(html)).toMatch(/^(?:- )?yes$/);
  });

  it('is no heading, has links that are followed, and prices that are read', () => {
    const html = `<h1>Title</h1><div hidden><h2>No</h2><a href=/x>there</a><div itemscope itemtype="https://schema.org/Offer">
      <span itemprop=price>12</span></div></div><p>Words`;
    const page = extract(html);
    expect(page.meta.headings).toEqual([{ level: 1, text: 'Title' }]);
    expect(page.links).toEqual(['https://example.com/x']);
    expect(page.meta.schema).toEqual([{ '@type': 'Offer', price: '12' }]);
    expect(readShown(Buffer.from(html), type, pageUrl).anchors).toEqual([
      { url: 'https://example.com/x', text: 'there', rel: '', position: 'hidden' },
    ]);
  });

  it('is the text of a page that says nothing else', () => {
    const story = '<p>A text of many words that a script shows as soon as it runs.</p>'.repeat(10);
    const shown = text(story);
    for (const html of [
      `<div style="display:none">${story}</div><p>Wait`,
      `<body style="display:none">${story}`,
      `<div id=root></div><noscript>${story}</noscript>`,
    ]) {
      expect(text(html)).toContain(shown);
      expect(markdown(html)).toContain(markdown(story));
    }
    const asks = '<p>This page wants JavaScript, which can be switched on in the settings.</p>'.repeat(10);
    expect(text(`<div id=root></div><noscript>${asks}</noscript>`)).toBe('');
    expect(extract(`<div id=root></div><noscript>${asks}</noscript><script></script>`).meta.needs).toBe(
      'javascript',
    );
    expect(text(`${story.repeat(2)}<div hidden>No</div>`)).not.toContain('No');
  });
});

describe('formulas are TeX, once', () => {
  const annotated = (tex: string, mathml: string): string =>
    `<math><semantics><mrow>${mathml}</mrow><annotation encoding="application/x-tex">${tex}</annotation></semantics></math>`;
  const energy = '<mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup>';
  const wiki = `{\\displaystyle a_{1}}`;
  it.each([
    [
      'KaTeX',
      `<span class=katex><span class=katex-mathml>${annotated('E = mc^2', energy)}</span><span class=katex-html
        aria-hidden=true><span>E</span><span>=</span><span>mc2</span></span></span>`,
      'E = mc^2',
    ],
    [
      'MediaWiki, which hides it beside its picture',
      `<span><span style="display: none;">${annotated(wiki, '<mi>a</mi>')}</span><img src=a.svg aria-hidden=true
        alt="${wiki}" class="mwe-math-fallback-image-inline"></span>`,
      'a_{1}',
    ],
    [
      'MathJax 2',
      `<span class=MathJax><nobr aria-hidden=true>x2</nobr><span>${annotated('x^2', '')}</span></span><script
        type="math/tex">x^2</script>`,
      'x^2',
    ],
    ['MathJax 2, before it ran', '<script type="math/tex">a<b</script>', 'a<b'],
    ['LaTeXML', `<math alttext="a\\cdot b"><mi>a</mi><mo>⋅</mo><mi>b</mi></math>`, 'a\\cdot b'],
    ['WordPress', '<img class=latex src="https://s0.wp.com/latex.php?latex=n" alt="n &gt; 1">', 'n > 1'],
    ['MathML alone', `<math>${energy}</math>`, 'E=mc^2'],
    [
      'its fractions and roots',
      `<math> <mfrac><mrow><mo>-</mo><mi>b</mi></mrow><mn>2</mn></mfrac>
        <mo>+</mo> <mroot><mi>x</mi><mn>3</mn></mroot><mi>sin</mi><mo>&#x2061;</mo><mi>y</mi></math>`,
      '\\frac{-b}{2}+\\sqrt[3]{x} sin y',
    ],
    [
      'its sums and tables',
      `<math><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mtable><mtr><mtd><mn>1</mn></mtd>
        <mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd><mtd><mn>4</mn></mtd></mtr></mtable></math>`,
      '∑_{i=1}^n1 & 2 \\\\ 3 & 4',
    ],
    ['ended by HTML', `<math><mi>x</mi><div>`, 'x'],
  ])('%s', (_, html, tex) => {
    expect(text(`<p>Let ${html} be`)).toMatch(/^Let /);
    expect(text(`<p>Let ${html} be`).replace(/\s+be$/, '')).toBe(`Let ${tex}`);
    expect(markdown(`<p>Let ${html} be`).replace(/\s+be$/, '')).toBe(`Let $${tex}$`);
  });

  it('on lines of their own, in cells and in what is not shown', () => {
    expect(markdown('<math display=block><mi>x</mi></math>')).toBe('$$x$$');
    const cell = '<math><mo>|</mo><mi>x</mi><mo>|</mo></math>';
    expect(markdown(`<table><tr><th>a<th>b<tr><td>${cell}<td>y</table>`)).toContain('| $\\|x\\|$ | y |');
    const hidden = `<p>One<nav>${cell}</nav><div hidden><p>x ${cell}</div><template>${cell}</template><title>${cell}</title>`;
    expect(text(hidden)).toBe('One');
  });
});

describe('labels of pictures', () => {
  const svg = `<svg><title>Icon</title><style>a{}</style><desc>no</desc><g><text x=1>Till asks<title>tip</title></text>
    <text><tspan x=0>Ledger</tspan><tspan x=0 dy="1em">answers</tspan></text></g></svg>`;
  it('are lines of text', () => {
    expect(text(`<p>See ${svg} here`)).toBe('See\nTill asks\nLedger answers\nhere');
    expect(markdown(`<p>See ${svg} here`)).toBe('See\\\nTill asks\\\nLedger answers\\\nhere');
    expect(extract(`<title>Page</title>${svg}`).title).toBe('Page');
  });
});

describe('buttons', () => {
  it.each([
    ['<h2><button>What is it?</button></h2>', 'What is it?'],
    ['<dl><dt><button>Why?</button><dd>Because</dl>', 'Why?\nBecause'],
    ['<button class="accordion">One</button><button class="accordion">Two</button>', 'One\nTwo'],
    [
      '<button aria-expanded=false aria-controls=s1>Delivery</button><div id=s1 hidden>Free</div>',
      'Delivery\nFree',
    ],
    ['<p>Text <button>Buy</button> on', 'Text on'],
    ['<h2>Install <button>Copy</button></h2>', 'Install'],
    ['<button aria-expanded=false aria-haspopup=menu>Language</button>', ''],
    ['<button aria-expanded=false aria-controls=mobile-menu>Open</button>', ''],
    ['<header><button aria-expanded=false>Open</button></header>', ''],
  ])('%s', (html, shown) => {
    expect(text(html)).toBe(shown);
    expect(
      markdown(html)
        .replaceAll(/\n\n|\n/g, '\n')
        .replaceAll(/^(?:## |- )/gm, ''),
    ).toBe(shown);
  });

  it('that are headings are headings', () => {
    const html = '<h2><button>What is it?</button></h2><p>This';
    expect(extract(html).meta.headings).toEqual([{ level: 2, text: 'What is it?' }]);
    expect(markdown(html)).toBe('## What is it?\n\nThis');
  });
});

describe('words stay whole', () => {
  it.each([
    ['<ruby>東<rt>とう</rt>京<rt>きょう</rt></ruby>タワー', '東京タワー'],
    ['<ruby>食<rp>(</rp><rt>た</rt><rp>)</rp></ruby>べる', '食べる'],
    ['<ruby>漢<rt>かん<rb>字<rt>じ</ruby>を', '漢字を'],
    ['<p><ruby>x<rt>never closed<p>y', 'x\ny'],
    ['Ge&shy;samt', 'Gesamt'],
  ])('%s', (html, shown) => {
    expect(text(html)).toBe(shown);
  });

  it.each([
    ['climate<sup><a href="#fn1">1</a></sup> is', 'climate[1] is'],
    [
      'climate<sup class=reference><a href="#cite_note-1"><span>[</span>1<span>]</span></a></sup>.',
      'climate[1].',
    ],
    ['climate<a href="#f1"><sup>a</sup></a>.', 'climate[a].'],
    ['climate<a href="/page#f1" role=doc-noteref>12</a>.', 'climate[12].'],
    ['m<sup>2</sup>, <a href="#s">see</a> <a href="#t">1</a>', 'm2, see 1'],
    ['x<sup><a href="#a">the long way around it</a></sup>', 'xthe long way around it'],
    ['x<sup><a href="#a">1<p>y <a href="#b">2', 'x[1]\ny 2'],
  ])('%s', (html, shown) => {
    expect(text(html)).toBe(shown);
  });
});
