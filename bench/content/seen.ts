/**
 * Do text and Markdown have what people see, once, and nothing that they do not see? Parts of pages as generators and
 * sites write them, also such as we read wrongly.
 */
import { gfm } from '@joplin/turndown-plugin-gfm';
import TurndownService from 'turndown';
import type { Extractor } from '../../content/extract.ts';
import { toMarkdown } from '../../content/markdown.ts';
import { printTable } from './measures.ts';

interface Part {
  readonly html: string;
  /** Each is there once. */
  readonly seen: readonly string[];
  readonly unseen: readonly string[];
}

const katexHtml = `<span class="katex-html" aria-hidden="true"><span class="base"><span class="strut" style="height:0.8641em;"></span><span class="mord mathnormal">e</span><span class="msupsub">iπ</span><span class="mbin">+</span><span class="mord">1</span></span></span>`;
const mathml = `<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><msup><mi>e</mi><mrow><mi>i</mi><mi>π</mi></mrow></msup><mo>+</mo><mn>1</mn></mrow><annotation encoding="application/x-tex">e^{i\\pi}+1</annotation></semantics></math>`;
const tex = 'e^{i\\pi}+1';

const parts: Readonly<Record<string, Part>> = {
  'Docusaurus: KaTeX': {
    html: `<p>Euler: <span class="katex"><span class="katex-mathml">${mathml}</span>${katexHtml}</span>.</p>`,
    ...{ seen: [tex], unseen: ['iπ'] },
  },
  'MediaWiki: formula': {
    html: `<p>Let <span class="mwe-math-element"><span class="mwe-math-mathml-inline mwe-math-mathml-a11y" style="display: none;"><math alttext="{\\displaystyle ${tex}}"><semantics><mi>e</mi><annotation encoding="application/x-tex">{\\displaystyle ${tex}}</annotation></semantics></math></span><img src="https://wikimedia.example/svg/1" class="mwe-math-fallback-image-inline mw-invert skin-invert" aria-hidden="true" style="width:3ex" alt="{\\displaystyle ${tex}}"></span> be.</p>`,
    ...{ seen: [tex], unseen: ['displaystyle'] },
  },
  'arXiv: LaTeXML': {
    html: `<p class="ltx_p">with <math id="S1.p1.m1" class="ltx_Math" alttext="${tex}" display="inline"><semantics><mi>e</mi><annotation-xml encoding="MathML-Content"><ci>e</ci></annotation-xml><annotation encoding="application/x-tex">${tex}</annotation><annotation encoding="application/x-llamapun">italic_e</annotation></semantics></math></p>`,
    ...{ seen: [tex], unseen: ['italic_e'] },
  },
  'kramdown: MathJax 2': {
    html: `<p>So <script type="math/tex">${tex}</script> holds.</p><script type="math/tex; mode=display">% <![CDATA[\na &= b %]]></script>`,
    ...{ seen: [tex, 'a &= b'], unseen: [] },
  },
  'MathJax 3, stored by a browser': {
    html: `<p>So <mjx-container class="MathJax" jax="CHTML"><mjx-math class="MJX-TEX" aria-hidden="true"><mjx-mi class="mjx-i"><mjx-c class="mjx-c1D452 TEX-I"></mjx-c></mjx-mi></mjx-math><mjx-assistive-mml unselectable="on" display="inline"><math><mi>q</mi></math></mjx-assistive-mml></mjx-container> holds.</p>`,
    ...{ seen: ['q'], unseen: [] },
  },
  'WordPress.com: image of a formula': {
    html: `<p>that <img src="https://s0.wp.example/latex.php?latex=n" alt="n &gt; 1" class="latex" /> holds</p>`,
    ...{ seen: ['n > 1'], unseen: [] },
  },
  'GOV.UK: accordion': {
    html: `<div class="govuk-accordion"><div class="govuk-accordion__section"><h2 class="govuk-accordion__section-heading"><button type="button" aria-controls="a1" class="govuk-accordion__section-button" aria-expanded="false"><span class="govuk-accordion__section-heading-text">Writing well</span></button></h2><div id="a1" class="govuk-accordion__section-content" hidden="until-found"><p>Short sentences.</p></div></div></div>`,
    ...{ seen: ['Writing well', 'Short sentences'], unseen: [] },
  },
  'Bootstrap 5: accordion': {
    html: `<div class="accordion-item"><h2 class="accordion-header"><button class="accordion-button collapsed" type="button" data-bs-toggle="collapse" data-bs-target="#c1" aria-expanded="false" aria-controls="c1">Do you ship?</button></h2><div id="c1" class="accordion-collapse collapse"><div class="accordion-body">To the moon.</div></div></div>`,
    ...{ seen: ['Do you ship?', 'To the moon'], unseen: [] },
  },
  'ARIA practices: disclosure of questions': {
    html: `<dl class="faq"><dt><button type="button" aria-expanded="false" aria-controls="f1">What do I do if my permit was lost?</button></dt><dd><p id="f1" class="desc" style="display:none">Come to the office.</p></dd></dl>`,
    ...{ seen: ['What do I do', 'Come to the office'], unseen: [] },
  },
  'jQuery UI: tabs': {
    html: `<ul role="tablist"><li role="tab" aria-controls="t2"><a href="#t2">Care</a></li></ul><div id="t2" role="tabpanel" aria-hidden="true" style="display: none;"><p>Oil it twice a year.</p></div>`,
    ...{ seen: ['Care', 'Oil it twice'], unseen: [] },
  },
  'Shopify: drawer and pop-up': {
    html: `<cart-drawer class="drawer"><dialog id="CartDrawer"><h2>Your cart is empty</h2><button>Close</button></dialog></cart-drawer><div class="pickup" hidden><p>Could not load pickup</p></div><main><p>A table of oak.</p><div id="Pop" popover="auto"><p>Size guide</p></div></main>`,
    ...{ seen: ['A table of oak'], unseen: ['cart is empty', 'load pickup', 'Size guide'] },
  },
  'slick: copies of slides': {
    html: `<div class="slick-track"><div class="slick-slide slick-cloned" aria-hidden="true"><p>Slide about bees</p></div><div class="slick-slide slick-current" aria-hidden="false"><p>Slide about bees</p></div></div>`,
    ...{ seen: ['Slide about bees'], unseen: [] },
  },
  'WordPress: pop-up and message of a form': {
    html: `<p>Our news.</p><div class="pum" style="display: none;" role="dialog"><p>Get ten percent off</p></div><div class="wpcf7-response-output" aria-hidden="true">One or more fields have an error</div><span aria-hidden="true">→</span>`,
    ...{ seen: ['Our news'], unseen: ['ten percent', 'fields have an error', '→'] },
  },
  'Drupal: hidden by a class': {
    html: `<p>Opening hours</p><span class="hidden">Skip this</span>`,
    ...{ seen: ['Opening hours'], unseen: ['Skip this'] },
  },
  'MediaWiki: note': {
    html: `<p>The sea rises<sup id="cite_ref-1" class="reference"><a href="#cite_note-1"><span class="cite-bracket">&#91;</span>1<span class="cite-bracket">&#93;</span></a></sup> fast.</p>`,
    ...{ seen: ['rises'], unseen: ['rises1'] },
  },
  'Word: note': {
    html: `<p>The sea rises<a href="#_ftn1" name="_ftnref1"><sup>1</sup></a> fast.</p>`,
    ...{ seen: ['rises'], unseen: ['rises1'] },
  },
  'pandoc: note': {
    html: `<p>The sea rises<a href="#fn1" class="footnote-ref" id="fnref1" role="doc-noteref"><sup>1</sup></a> fast.</p>`,
    ...{ seen: ['rises'], unseen: ['rises1'] },
  },
  'a note that is no link': {
    html: `<p>The sea rises<sup class="fn">1</sup> fast.</p>`,
    ...{ seen: ['rises'], unseen: ['rises1'] },
  },
  'ruby with brackets': {
    html: `<p><ruby>東京<rp>（</rp><rt>とうきょう</rt><rp>）</rp></ruby>駅で<ruby><rb>食</rb><rt>た</rt></ruby>べる</p>`,
    ...{ seen: ['東京駅で食べる'], unseen: ['とうきょう'] },
  },
  'ruby by sign, end tags left out': {
    html: `<p><ruby>北<rt>běi<rb>京<rt>jīng</ruby>大学</p>`,
    ...{ seen: ['北京大学'], unseen: [] },
  },
  'mermaid: labels as text': {
    html: `<svg id="m1" role="graphics-document document"><style>#m1{fill:#333;}</style><g><text x="75" y="32" class="messageText">Till asks Ledger</text><text x="75" y="64"><tspan x="75" dy="0">Second</tspan><tspan x="75" dy="16">line</tspan></text></g></svg>`,
    ...{ seen: ['Till asks Ledger', 'Second line'], unseen: ['fill'] },
  },
  'an icon with a title': {
    html: `<p>Call us <svg viewBox="0 0 24 24" aria-hidden="true"><title>Phone icon</title><path d="M0 0h24"/></svg>now</p>`,
    ...{ seen: ['Call us'], unseen: ['Phone icon'] },
  },
  'a page that fades in': {
    html: `<div style="opacity:0;transform:translateY(20px)"><p>We design gardens.</p></div>`,
    ...{ seen: ['We design gardens'], unseen: [] },
  },
  'a page that a script shows': {
    html: `<body><div id="wrap" style="visibility:hidden"><p>${'The council meets on Monday. '.repeat(30)}</p></div></body>`,
    ...{ seen: [], unseen: [] },
  },
};

const turndown = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced' });
turndown.use(gfm);
turndown.remove(['script', 'style', 'nav', 'footer']);

const url = 'https://example.com/dir/page.html';
const contentType = 'text/html; charset=utf-8';

/** Prints how many parts each reads right, and which it does not. */
export function reportSeen(extractor: Extractor): void {
  const readers: Readonly<Record<string, (html: string) => string>> = {
    'our text': (html) =>
      extractor.extract({
        ...{ body: Buffer.from(html), url, contentType, xRobotsTag: null, agentTokens: [], maxLinks: 10 },
      }).text,
    'our Markdown': (html) => toMarkdown(Buffer.from(html), contentType, url)?.text ?? '',
    turndown: (html) => turndown.turndown(html),
  };
  const rows = Object.entries(readers).map(([reader, read]) => {
    const wrong = Object.entries(parts).flatMap(([name, part]) =>
      isRight(read(part.html), part) ? [] : [name],
    );
    return [reader, String(Object.keys(parts).length - wrong.length), String(wrong.length), wrong.join('; ')];
  });
  printTable('What people see', ['reader', 'right', 'wrong', 'which'], rows);
}

function isRight(read: string, { seen, unseen }: Part): boolean {
  // Signs of Markdown around words, and its escapes, are no part of them.
  const text = read.replace(/\\(?=[!-/:-@[-`{-~])/g, '').replace(/\s+/g, ' ');
  const isOnce = (words: string): boolean => text.split(words).length === 2;
  return text.trim() !== '' && seen.every(isOnce) && !unseen.some((words) => text.includes(words));
}
