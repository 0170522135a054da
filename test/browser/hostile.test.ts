/**
 * Pages that mean harm, each beside one that does not. Nothing of them leaves, they cost their budget, and their
 * neighbour comes out right.
 *
 * @module-tag deep
 */
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { spawnSync } from 'node:child_process';
import { findCell, openCell, type Cell } from '../../browser/cell.ts';
import type { Round, WantedResource } from '../../contracts/rendering.ts';
import {
  domOf,
  hasBrowser,
  html,
  json,
  never,
  pageOf,
  pageUrl,
  script,
  shown,
  withBrowser,
} from '../support/browser.ts';
import { given } from '../support/given.ts';
import { freshAddress, listen } from '../support/loopback.ts';
import { until } from '../support/until.ts';
import { mayWatchNames, watchNames } from '../support/name-watch.ts';

/** Milliseconds by the clock that a page has here. */
const wallMs = 7_000;

/** Whoever reaches one of these has left the browser. */
const address = freshAddress();
const seen: string[] = [];
const ports = { tcp: 0, other: 0, udp: 0 };
const servers = [createServer(), createServer()];
const udp = createSocket('udp4');
beforeAll(async () => {
  for (const server of servers)
    server.on('connection', (socket) => {
      seen.push('TCP');
      socket.destroy();
    });
  const [first, second] = servers;
  if (first !== undefined) ports.tcp = await listen(first, address);
  if (second !== undefined) ports.other = await listen(second, address);
  udp.on('message', () => seen.push('UDP'));
  udp.bind(0, address);
  await once(udp, 'listening');
  ports.udp = udp.address().port;
});
afterAll(() => {
  for (const server of servers) server.close();
  udp.close();
});

const site = {
  '/worker.js': script('for (;;);'),
  '/moved': {
    status: 302,
    headers: [['Location', 'http://169.254.169.254/latest/meta-data/']],
    body: new Uint8Array(),
  },
  '/frame': html('framed'),
  '/changes.json': json(1),
} as const;

interface Hostile {
  readonly what: string;
  /** A script; or HTML, if it begins with a tag. */
  readonly page: string | ((at: { address: string; tcp: number; other: number; udp: number }) => string);
  readonly outcome?: Round['outcome'];
  /** It wants to get out: tried behind a dead proxy as well. */
  readonly out?: true;
  /** What the DOM has; absent: anything. */
  readonly shows?: string;
  readonly told?: Record<string, unknown>;
}

const cases: Hostile[] = [
  {
    what: 'timers without end',
    page: 'let n = 0; const f = () => { n++; setTimeout(f) }; f(); setInterval(f, 1)',
    shows: 'body',
  },
  {
    what: 'a frame that is never drawn',
    page: 'document.body.append("before"); new ResizeObserver(() => { for (;;); }).observe(document.body)',
    outcome: 'cut',
    shows: 'before',
  },
  {
    what: 'microtasks without end',
    page: 'document.body.append("before"); const f = () => Promise.resolve().then(f); f()',
    outcome: 'cut',
    shows: 'before',
  },
  { what: 'a loop', page: 'document.body.append("before"); for (;;);', outcome: 'cut', shows: 'before' },
  {
    what: 'a loop in each timer',
    page: 'setInterval(() => { const t = Date.now(); for (let n = 0; n < 1e7; n++); })',
    shows: 'body',
  },
  { what: 'workers that spin', page: 'for (let n = 0; n < 4; n++) new Worker("/worker.js")', shows: 'body' },
  {
    what: 'WebAssembly that spins',
    // (module (func (export "f") (loop br 0)))
    page: `document.body.append("before"); const bytes = [0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,7,5,1,1,102,0,0,10,9,1,7,0,3,64,12,0,11,11];
      new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(bytes))).exports.f()`,
    outcome: 'cut',
    shows: 'before',
  },
  {
    what: 'objects of 2 GB',
    page: 'const all = []; for (let n = 0; n < 64; n++) all.push(Array.from({ length: 4e6 }, (_, at) => at + 0.5)); document.body.append("all")',
  },
  {
    what: 'buffers of 4 GB',
    page: 'const all = []; for (let n = 0; n < 64; n++) all.push(new Uint8Array(64 << 20).fill(1)); document.body.append("all")',
  },
  {
    what: 'a million nodes',
    page: 'for (let n = 0; n < 1e6; n++) document.body.append(document.createElement("i"))',
  },
  { what: 'a text of 100 MB', page: 'document.body.append("x".repeat(1e8))' },
  {
    what: 'document.write for ever',
    page: 'for (;;) document.write("<p>more")',
  },
  {
    what: 'dialogs for ever',
    page: 'for (let n = 0; n < 1e6; n++) { alert(n); confirm(n); prompt(n) } onbeforeunload = (e) => { e.preventDefault(); e.returnValue = "stay" }; print(); location.href = "/away"',
    shows: 'body',
    told: { navigation: `${pageUrl}away` },
  },
  {
    what: 'a storm of windows',
    page: 'for (let n = 0; n < 500; n++) open("/w" + n); document.body.append("opened")',
    shows: 'opened',
    told: { navigation: `${pageUrl}w0`, asked: 0 },
  },
  {
    what: 'navigation for ever',
    page: 'setInterval(() => { location.href = "/" + Math.random() }, 10); document.body.append("stays")',
    shows: 'stays',
    told: { asked: 0 },
  },
  {
    what: 'itself, loaded for ever',
    page: 'document.body.append("stays"); location.reload()',
    shows: 'stays',
    told: { navigation: pageUrl },
  },
  {
    what: 'downloads',
    page: 'for (let n = 0; n < 50; n++) { const a = document.createElement("a"); a.href = URL.createObjectURL(new Blob(["x".repeat(1e6)])); a.download = "f" + n; document.body.append(a); a.click() }',
  },
  {
    what: 'other schemes',
    page: '<iframe src="file:///etc/passwd"></iframe><iframe src="chrome://version"></iframe><iframe src="view-source:https://site.test/"></iframe><script>for (const url of ["file:///etc/passwd", "chrome://version", "ftp://site.test/"]) fetch(url).then((a) => a.text()).then((t) => document.body.append("READ" + t), () => document.body.append("no;"))</script>',
    shows: 'no;no;no;',
    told: { asked: 0 },
  },
  {
    what: 'a blob and data of 100 MB',
    page: 'const b = new Blob([new Uint8Array(1e8)]); fetch(URL.createObjectURL(b)).then((a) => a.arrayBuffer()).then((x) => document.body.append(x.byteLength)); document.body.append(document.createElement("iframe")); document.querySelector("iframe").src = "data:text/html," + "y".repeat(1e6)',
  },
  {
    what: 'methods of 100 kB',
    page: 'document.body.append("before"); const f = (n) => fetch("/", { method: "A".repeat(1e5) + n }).catch(() => 0).then(() => f(n + 1)); f(0)',
    told: { asked: 0, refused: { 'other method': expect.any(Number) as number } },
  },
  { what: 'a POST of 120 MB', page: 'fetch("/up", { method: "POST", body: "x".repeat(1.2e8) })' },
  {
    what: 'sockets of all kinds',
    out: true,
    page: ({ address: at, tcp, other, udp: datagrams }) => `
      for (const url of ['ws://${at}:${String(tcp)}/', 'wss://${at}:${String(other)}/']) try { new WebSocket(url) } catch {}
      try { new WebTransport('https://${at}:${String(datagrams)}/') } catch {}
      try { const p = new RTCPeerConnection({ iceServers: [{ urls: 'stun:${at}:${String(datagrams)}' }] }); p.createDataChannel('x'); p.createOffer().then((o) => p.setLocalDescription(o)) } catch {}
      const f = document.createElement('iframe'); document.body.append(f);
      try { const p = new f.contentWindow.RTCPeerConnection({ iceServers: [{ urls: 'stun:${at}:${String(datagrams)}' }] }); p.createDataChannel('x'); p.createOffer().then((o) => p.setLocalDescription(o)) } catch {}
      try { new f.contentWindow.WebTransport('https://${at}:${String(datagrams)}/') } catch {}
      navigator.sendBeacon('http://${at}:${String(tcp)}/beacon', 'x'); fetch('http://${at}:${String(tcp)}/', { keepalive: true, method: 'POST', body: 'x' }).catch(() => 0)`,
    shows: 'body',
  },
  {
    what: 'service and shared workers',
    out: true,
    page: `const f = document.createElement('iframe'); document.body.append(f);
      for (const w of [window, f.contentWindow]) { try { new w.SharedWorker('/worker.js') } catch {} try { w.navigator.serviceWorker.register('/worker.js').catch(() => 0) } catch {} }`,
    shows: 'body',
  },
  {
    what: 'names that are looked up ahead, and connections',
    out: true,
    page: ({ address: at, tcp, other }) =>
      `<link rel=dns-prefetch href="//ahead.test"><link rel=preconnect href="http://${at}:${String(tcp)}"><link rel=prefetch href="http://${at}:${String(other)}/p"><script type=speculationrules>{"prerender":[{"urls":["http://${at}:${String(other)}/s"]}]}</script><img src="http://${at}:${String(tcp)}/i"><video src="http://${at}:${String(tcp)}/v"></video><object data="http://${at}:${String(tcp)}/o"></object><form action="http://${at}:${String(tcp)}/form" method=post></form><script>document.forms[0].submit()</script>`,
  },
  {
    what: 'names in all places that take one',
    out: true,
    page: `
      for (const make of [
        () => new WebSocket('ws://socket.test/'), () => new WebTransport('https://transport.test/'),
        () => new EventSource('http://events.test/'), () => new Image().src = 'http://picture.test/',
        () => navigator.sendBeacon('http://beacon.test/', 'x'), () => open('http://window.test/'),
        () => { const p = new RTCPeerConnection({ iceServers: [{ urls: ['stun:stun.test', 'turn:turn.test'], username: 'u', credential: 'c' }] });
          p.createDataChannel('x'); p.createOffer().then((o) => p.setLocalDescription(o)) },
        () => fetch('http://fetched.test/', { mode: 'no-cors' }).catch(() => 0),
        ...['dns-prefetch', 'preconnect', 'prefetch', 'modulepreload'].map((rel) => () => { const l = document.createElement('link');
          l.rel = rel; l.href = 'https://' + rel + '.test/'; document.head.append(l) }),
        () => { const f = document.createElement('iframe'); f.src = 'http://frame.test/'; document.body.append(f) },
      ]) try { make() } catch {}
      document.body.append('tried'); location.href = 'http://away.test/'`,
    shows: 'tried',
  },
  {
    what: 'private addresses, and redirects to them',
    out: true,
    page: ({ address: at, tcp }) =>
      `for (const url of ['http://${at}:${String(tcp)}/x', 'http://169.254.169.254/latest/', 'http://[::1]/', '/moved']) fetch(url, { mode: 'no-cors' }).catch(() => document.body.append('no;'))`,
    shows: 'no;no;no;no;',
    told: { asked: 5 },
  },
  {
    what: '10,000 resources',
    page: 'for (let n = 0; n < 1e4; n++) fetch("/r" + n).catch(() => 0)',
    outcome: 'cut',
    told: { asked: 1_500, refused: { 'request after the first 1500': expect.any(Number) as number } },
  },
  {
    what: 'resources without end',
    page: 'const f = (n) => fetch("/r" + n + "?" + Date.now()).finally(() => f(n + 1)); f(0)',
  },
  {
    what: 'frames within frames',
    page: 'for (let n = 0; n < 200; n++) { const f = document.createElement("iframe"); f.src = "/frame?" + n; document.body.append(f) }',
  },
  { what: 'itself as its frame', page: '<iframe src="/"></iframe>text', shows: 'text' },
  {
    what: 'eyes for virtual time',
    page: 'const t = Date.now(), p = performance.now(); let n = 0; for (let i = 0; i < 3e8; i++) n += i; document.body.append(Date.now() - t === 0 || performance.now() - p === 0 ? "virtual" : "real")',
    shows: 'virtual',
  },
  {
    what: 'a DOM of other functions',
    page: 'Element.prototype.getHTML = () => "forged"; Document.prototype.createTreeWalker = () => { for (;;); }; JSON.stringify = null; document.body.append("true text")',
    shows: 'true text',
  },
  {
    what: 'an empty window',
    page: 'document.body.append("x"); setTimeout(() => { location.href = "about:blank" }, 50)',
  },
];

const neighbour =
  '<body><script>setTimeout(() => fetch("/changes.json").then((a) => a.json()).then((n) => document.body.append("neighbour" + n)), 3000)</script>';

const isRoot = process.getuid?.() === 0;
const watches = mayWatchNames();
/** `shut`: the kernel keeps it from the network. Otherwise the browser has to obey. */
const worlds = [
  ['without a network', () => findCell(isRoot), 'shut'],
  ['behind a dead proxy', () => openCell(isRoot), 'open'],
  ...(watches ? [['in a network of its own', () => openCell(isRoot), 'own'] as const] : []),
] as const satisfies readonly (readonly [string, () => Cell, 'shut' | 'open' | 'own'])[];

describe.skipIf(!hasBrowser)('a page with (needs a browser)', () => {
  describe.each(worlds)('%s', (_, cellOf, world) => {
    const names = given(
      () =>
        watches
          ? watchNames(world === 'own')
          : Promise.resolve({ command: [], heard: () => 0, close: () => Promise.resolve() }),
      (opened) => opened.close(),
    );
    const cell = given<Cell>(
      () => {
        const own = cellOf();
        return Promise.resolve({ ...own, command: [...names.command, ...own.command] });
      },
      () => undefined,
    );
    const { renderer, log } = withBrowser({ wallMs, cell });

    it.skipIf(!watches || world === 'shut')('is heard where it looks a name up (needs root)', async () => {
      const [program, ...args] = [...cell.command, 'getent', 'ahosts', 'heard.test'];
      spawnSync(program, args, { cwd: '/' });
      await until('the question is heard', () => names.heard() > 0);
    });

    it.each(cases.filter(({ out }) => world === 'shut' || out))(
      '$what',
      async ({ page, outcome, shows, told }) => {
        seen.length = 0;
        const heard = names.heard();
        const text = typeof page === 'string' ? page : page({ address, ...ports });
        const asked: WantedResource[] = [];
        const [round, other] = await Promise.all([
          renderer.render(
            pageOf(text.startsWith('<') ? text : `<body><script>${text}</script>`, site, { asked }),
            never,
          ),
          renderer.render(pageOf(neighbour, site), never),
        ]);
        expect(shown(other)).toBe('neighbour1');
        if (outcome !== undefined) expect(round.outcome).toBe(outcome);
        if (shows !== undefined) expect(domOf(round)).toContain(shows);
        expect({ ...round, asked: asked.length }).toMatchObject(told ?? {});
        expect(round.dom.length).toBeLessThanOrEqual(10 * 1_024 * 1_024);
        // How many it is given is the caller's to say; a page that asks for more than this is ended.
        expect(asked.length).toBeLessThanOrEqual(1_500);
        // The browser itself has not ended, though one that has grown is replaced, and nobody outside has heard anything.
        expect(log.filter((line) => /unasked|killed/.test(line))).toEqual([]);
        expect([seen, names.heard() - heard]).toEqual([[], 0]);
      },
    );
  });
});
