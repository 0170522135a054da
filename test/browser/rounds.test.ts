/** Rounds of one page, as the archive fills. */
import { describe, expect, it } from 'vitest';
import type { Found, Round, WantedResource } from '../../contracts/rendering.ts';
import {
  domOf,
  hasBrowser,
  html,
  json,
  never,
  openRenderer,
  closeRenderer,
  pageOf,
  pageUrl,
  script,
  shown,
  withBrowser,
} from '../support/browser.ts';

interface Asked extends Round {
  readonly asked: readonly WantedResource[];
  readonly missing: readonly string[];
}

/** Waits, asks with cache busters, asks for what it was told, and shows that. */
const app = script(`
  const show = (text) => document.getElementById('root').append(text);
  setTimeout(async () => {
    const busters = [Date.now(), Math.random(), performance.now(), crypto.randomUUID(), new Date().toISOString()];
    const list = await fetch('/list.json?' + busters.join('&')).then((answer) => answer.json());
    for (const { id } of list) {
      const detail = await fetch('/detail/' + id + '?_=' + Date.now()).then((answer) => answer.json());
      show(detail.text);
    }
  }, 1500);
`);
const page = html('<!doctype html><div id=root></div><script src=/app.js></script>');
const web: Readonly<Record<string, Found>> = {
  '/app.js': app,
  '/list.json': json([{ id: 7 }]),
  '/detail/7': json({ text: 'the detail' }),
};

describe.skipIf(!hasBrowser)('rounds (need a browser)', () => {
  // A crowded machine cuts no page short.
  const { renderer } = withBrowser({ wallMs: 60_000 });

  /** Renders until nothing is missing; what was missing is there in the next round. */
  const untilDone = async (by = renderer): Promise<Asked[]> => {
    const archive = new Map<string, Found>();
    const rounds: Asked[] = [];
    for (;;) {
      const asked: WantedResource[] = [];
      const find = (wanted: WantedResource): Promise<Found> => {
        asked.push(wanted);
        return Promise.resolve(archive.get(wanted.url) ?? 'missing');
      };
      const round = await by.render({ url: pageUrl, answer: page, find }, never);
      const missing = asked.map(({ url }) => url).filter((url) => !archive.has(url));
      rounds.push({ ...round, asked, missing });
      if (missing.length === 0) return rounds;
      for (const url of missing) archive.set(url, web[new URL(url).pathname] ?? { failed: 'not there' });
    }
  };

  it('ask for the same URLs again, cache busters included, until the page is whole', async () => {
    const rounds = await untilDone();
    expect(rounds.map(({ missing }) => missing.map((url) => new URL(url).pathname))).toEqual([
      ['/app.js'],
      ['/list.json'],
      ['/detail/7'],
      [],
    ]);
    const last = rounds.at(-1);
    expect(last).toMatchObject({ outcome: 'settled', pageMs: 8000, refused: {}, navigation: null });
    expect(last && shown(last)).toBe('<div id="root">the detail</div>');
    expect(last?.asked.map(({ type }) => type)).toEqual(['script', 'xhr', 'xhr']);
  });

  it('give the same bytes in another browser, at another time', async () => {
    const other = openRenderer();
    try {
      const [first, second] = [await untilDone(), await untilDone(other.renderer)];
      const told = (rounds: Asked[]) => rounds.map((round) => ({ ...round, wallMs: 0, dom: domOf(round) }));
      expect(told(second)).toEqual(told(first));
    } finally {
      await closeRenderer(other);
    }
  });

  it('run side by side, each page for itself', async () => {
    const texts = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
    const rounds = await Promise.all(
      texts.map((text) =>
        renderer.render(
          pageOf(`<body><script>localStorage.x ??= '${text}'; document.cookie = 'x=${text}';
            setTimeout(() => document.body.append(localStorage.x + document.cookie), 3000)</script>`),
          never,
        ),
      ),
    );
    expect(rounds.map(shown)).toEqual(texts.map((text) => `${text}x=${text}`));
  });

  it('end early when they are told to, with what is there', async () => {
    const abort = new AbortController();
    const round = await renderer.render(
      pageOf(
        '<body>before<script src=/waits.js></script>',
        {},
        {
          find: () => {
            abort.abort();
            return new Promise(() => undefined);
          },
        },
      ),
      abort.signal,
    );
    expect([round.outcome, shown(round)]).toEqual(['cut', 'before']);
  });

  it('fail when the archive fails, which is no fault of the page', async () => {
    const find = () => Promise.reject(new Error('the archive is away'));
    await expect(renderer.render(pageOf('<script src=/a.js></script>', {}, { find }), never)).rejects.toThrow(
      'the archive is away',
    );
  });
});
