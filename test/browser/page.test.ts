/** What of a page is asked for, refused, read and told: one page a line. */
import { describe, expect, it } from 'vitest';
import type { Round, WantedResource } from '../../contracts/rendering.ts';
import {
  answer,
  domOf,
  hasBrowser,
  html,
  json,
  never,
  pageOf,
  script,
  shown,
  withBrowser,
} from '../support/browser.ts';
import type { Site } from '../support/browser.ts';

const open: [string, string] = ['Access-Control-Allow-Origin', '*'];
const site: Site = {
  '/app.js': script('document.body.append("ran")'),
  '/data.json': json('data'),
  '/moved': { status: 302, headers: [['Location', '/data.json?moved']], body: new Uint8Array() },
  '/frame': html('<p>framed <a href="near">link</a><script>document.body.append(" by script")</script>'),
  '/failed.js': { failed: 'disallowed by robots.txt' },
  '/worker.js': script('fetch("/data.json").then((a) => a.json()).then((text) => postMessage(text))'),
  '/module.js': script('import { text } from "./part.js"; document.body.append(text)'),
  '/part.js': script('export const text = "imported"'),
  '/style.css': answer('text/css', 'p { color: red }'),
  'https://other.test/closed.json': json('closed'),
  'https://other.test/open.json': json('open', open),
  'https://other.test/frame': html('<p>of another site'),
};

/** A script of the page: `say` shows what it has come to. */
const say = (body: string): string =>
  `<!doctype html><body><script>const say = (text) => document.body.append(text + ';');${body}</script>`;
const ask = (url: string, options = ''): string =>
  `fetch('${url}'${options && `, ${options}`}).then((a) => a.json()).then(say, () => say('network error'))`;

type Case = [what: string, body: string, show: string, told?: Partial<Round> | Record<string, unknown>];
const cases: Case[] = [
  ['a script', '<p>text</p><script src=/app.js></script>', '<p>text</p>ran'],
  ['a module and what it imports', '<script type=module src=/module.js></script>', 'imported'],
  [
    'what has failed',
    say(ask('/failed.js')),
    'network error;',
    {
      resources: [{ url: 'https://site.test/failed.js', type: 'xhr' }],
    },
  ],
  [
    'what is missing',
    say(ask('/nowhere')),
    'network error;',
    {
      resources: [{ url: 'https://site.test/nowhere', method: 'GET', type: 'xhr' }],
    },
  ],
  ['a redirect', say(ask('/moved')), 'data;'],
  [
    'POST',
    say(ask('/data.json', '{ method: "POST" }')),
    'network error;',
    { refused: { POST: 1 }, resources: [] },
  ],
  ['HEAD', say('fetch("/data.json", { method: "HEAD" }).then((a) => say(a.status))'), '200;'],
  ['another host without leave', say(ask('https://other.test/closed.json')), 'network error;'],
  ['another host with leave', say(ask('https://other.test/open.json')), 'open;'],
  // The OPTIONS before it is never sent: the answer to the request itself says what is allowed.
  [
    'another host that is asked for leave',
    say(ask('https://other.test/open.json', '{ headers: { "x-a": "b" } }')),
    'open;',
  ],
  [
    'a request that waits',
    say(
      'const x = new XMLHttpRequest(); for (const at of [1, 2]) { x.open("GET", "/data.json?" + at, false); x.send(); say(x.responseText) }',
    ),
    '"data";"data";',
  ],
  ['a worker', say('new Worker("/worker.js").onmessage = ({ data }) => say(data)'), 'data;'],
  [
    'pictures',
    '<img src=/a.png onload="document.body.append(\'loaded\')">',
    '<img src="/a.png" onload="document.body.append(\'loaded\')">loaded',
    { refused: { image: 1 }, resources: [] },
  ],
  [
    'a style sheet of the page',
    '<p>text<link rel=stylesheet href=/style.css>',
    '<p>text<link rel="stylesheet" href="/style.css"></p>',
    { refused: { stylesheet: 1 } },
  ],
  [
    'a style sheet that a script waits for',
    say(
      'const l = document.createElement("link"); l.rel = "stylesheet"; l.href = "/style.css"; l.onload = () => say("styled"); document.head.append(l)',
    ),
    'styled;',
    {
      resources: [{ url: 'https://site.test/style.css', type: 'stylesheet' }],
    },
  ],
  [
    'sockets and beacons',
    say('new WebSocket("wss://site.test/"); navigator.sendBeacon("/b", "x"); new EventSource("/e")'),
    '',
    {
      refused: { WebSocket: 1, beacon: 1, 'event stream': 1 },
      resources: [],
    },
  ],
  [
    'a closed shadow tree',
    say(
      'document.body.append(document.createElement("x-a")); document.querySelector("x-a").attachShadow({ mode: "closed" }).innerHTML = "<p>deep</p>"',
    ),
    '<x-a><template shadowrootmode="closed" shadowrootserializable=""><p>deep</p></template></x-a>',
  ],
  [
    'a shadow tree of the HTML',
    '<x-a><template shadowrootmode=open><p>deep</p></template></x-a>',
    '<x-a><template shadowrootmode="open"><p>deep</p></template></x-a>',
  ],
  [
    'a frame of the same site',
    '<iframe src=/frame></iframe>',
    '<iframe src="/frame"></iframe><div data-frame="https://site.test/frame"><p>framed <a href="https://site.test/near">link</a></p> by script</div>',
  ],
  [
    'a frame of another site',
    '<iframe src=https://other.test/frame></iframe>',
    '<iframe src="https://other.test/frame"></iframe>',
  ],
  ['dialogs', say('alert(1); say(confirm("?")); say(prompt("?"))'), 'true;null;'],
  [
    'a script that goes elsewhere',
    say('say("here"); location.href = "/next"'),
    'here;',
    { navigation: 'https://site.test/next', resources: [] },
  ],
  [
    'a refresh',
    '<p>here<meta http-equiv=refresh content="1; url=/next">',
    '<p>here<meta http-equiv="refresh" content="1; url=/next"></p>',
    { navigation: 'https://site.test/next' },
  ],
  ['a window that opens', say('say(open("/popup"))'), 'null;', { navigation: 'https://site.test/popup' }],
  [
    'an address that a script changes',
    '<head></head><body><a href=near>a</a><script>history.pushState(null, "", "/deep/path/")</script>',
    '<a href="near">a</a>',
  ],
  [
    'the console',
    say(
      'console.log("a", 1, { b: 2 }); console.error(new TypeError("bad")); setTimeout(() => { throw new Error("thrown") }); Promise.reject("why")',
    ),
    '',
    {
      console: ['log: a 1 {"b":2}', 'error: TypeError: bad', 'uncaught: Error: thrown', 'unhandled: why'],
    },
  ],
  [
    'a console without end',
    say('for (let at = 0; at < 1e5; at++) console.log("x".repeat(1e4))'),
    '',
    {
      console: Array.from({ length: 20 }, () => `log: ${'x'.repeat(295)}`),
    },
  ],
  [
    'a script that waits for the clock',
    say(
      'const t = Date.now(); while (Date.now() < t + 2000); while (performance.now() < 4000); while (new Date() - t < 6000); say("waited")',
    ),
    'waited;',
  ],
  [
    'frames of an animation',
    say(
      'let n = 0; const next = () => { n++; requestAnimationFrame(next) }; next(); setTimeout(() => say(n), 7999)',
    ),
    '89;',
  ],
  [
    'what comes into sight',
    say(
      'const p = document.createElement("p"); p.style.marginTop = "9000px"; document.body.append(p); new IntersectionObserver(([e]) => e.isIntersecting && (p.textContent = "seen")).observe(p)',
    ),
    '<p style="margin-top: 9000px;">seen</p>',
  ],
  [
    'functions that are as the browser has them',
    say(
      'say([Date, Date.now, Math.random, performance.now, crypto.randomUUID, requestAnimationFrame, console.log, alert].every((f) => f.toString().includes("[native code]")) && new Date().constructor === Date && new Date() instanceof Date && !navigator.webdriver && navigator.onLine && !navigator.userAgent.includes("Headless"))',
    ),
    'true;',
  ],
];

describe.skipIf(!hasBrowser)('a page (needs a browser)', () => {
  // A crowded machine cuts no page short.
  const { renderer } = withBrowser({ wallMs: 60_000 });
  it.each(cases)('with %s', async (_, body, show, told = {}) => {
    const resources: WantedResource[] = [];
    const round = await renderer.render(pageOf(body, site, { asked: resources }), never);
    expect({ ...round, resources }).toMatchObject({ outcome: 'settled', navigation: null, ...told });
    expect(shown(round)).toBe(show);
  });

  it('tells what limits have left out: frames, and the rest of a text', { tags: ['long'] }, async () => {
    const frames = Array.from({ length: 25 }, (_, at) => `<iframe src="/frame?${String(at)}"></iframe>`);
    const long = '<script>document.body.append("x".repeat(11 << 20))</script>';
    const round = await renderer.render(pageOf(`<body>${frames.join('')}${long}`, site), never);
    expect([round.leftOut, round.dom.length]).toEqual([6, 10 << 20]);
    expect(domOf(round).match(/data-frame/g)).toHaveLength(20);
  });

  it('says against which address its links are', async () => {
    const round = await renderer.render(
      pageOf('<!doctype html><script>history.pushState(null, "", "/deep/")</script>'),
      never,
    );
    expect(domOf(round)).toMatch(/^<!DOCTYPE html><html><head><base href="https:\/\/site.test\/deep\/">/);
  });

  it.each([
    ['no content', { status: 204, headers: [], body: new Uint8Array() }],
    ['a file to save', answer('application/zip', 'PK')],
  ])('that is %s has no DOM', async (_, given) => {
    const round = await renderer.render(pageOf(given), never);
    expect([round.outcome, round.dom.length]).toEqual(['crashed', 0]);
  });

  it('that says it is a file is shown all the same, and is of another process without harm', async () => {
    const headers: [string, string][] = [
      ['Content-Disposition', 'attachment'],
      ['Cross-Origin-Opener-Policy', 'same-origin'],
      ['Content-Encoding', 'gzip'],
      ['Content-Length', '7'],
    ];
    const round = await renderer.render(
      pageOf(answer('text/html', say('setTimeout(() => say(Date.now()), 500)'), ...headers)),
      never,
    );
    expect([round.outcome, shown(round)]).toEqual(['settled', '1767225600500;']);
  });

  it('is drawn and printed, once it has all that it asks for', async () => {
    const body = '<body style="height: 3000px; background: red">';
    // PNG (third edition) 11.2.1: width and height follow the name of the first chunk.
    const sizeOf = ({ picture = new Uint8Array() }: Round) => {
      const png = Buffer.from(picture);
      return [png.toString('latin1', 1, 4), png.readUInt32BE(16), png.readUInt32BE(20)];
    };
    const whole = await renderer.render(pageOf(body, {}, { picture: 'page', pdf: true }), never);
    expect(sizeOf(whole)).toEqual(['PNG', 1_280, expect.closeTo(3_016, -1.5)]);
    expect(Buffer.from(whole.pdf ?? []).toString('latin1', 0, 5)).toBe('%PDF-');
    expect(sizeOf(await renderer.render(pageOf(body, {}, { picture: 'window' }), never))).toEqual(['PNG', 1_280, 800]); // prettier-ignore
    const isWhole = () => false;
    const part = await renderer.render(pageOf(body, {}, { picture: 'page', pdf: true, isWhole }), never);
    expect([part.outcome, part.picture, part.pdf]).toEqual(['settled', undefined, undefined]);
  });
});
