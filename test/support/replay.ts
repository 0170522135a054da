/**
 * A WACZ played back as people do it: wabac is the service worker of a page in Chromium, and shows what is archived in a
 * frame. Nothing but the worker and the file is served here, so all that a page gets comes out of the file.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { chromium, type Page, type Request } from 'playwright-core';
import { messageOf } from '../../stack/errors.ts';
import { textOf } from '../web/rendering/compare.ts';
import { domText, scrollDown, serializable } from '../web/rendering/online.ts';
import { sendRange } from '../programs/ranges.ts';
import { chromiumOptions } from './temporal-web.ts';
import { until } from './until.ts';

interface Played {
  /** What the page says. */
  readonly text: string;
  /** What it asked for and the file did not give: how it asked, and the URL. */
  readonly missing: readonly string[];
}

export interface Replay {
  /** Shows a page until it says something, and has asked for all that it wants then. */
  play(url: string, says: string): Promise<Played>;
  close(): Promise<void>;
}

const player = `<!doctype html><title>player</title><script>
const added = new Promise((resolve, reject) => navigator.serviceWorker.addEventListener('message', ({ data }) => {
  if (data.msg_type === 'collAdded') resolve();
  if (data.msg_type === 'collProgress' && data.error) reject(new Error(data.error));
}));
globalThis.ready = (async () => {
  await navigator.serviceWorker.register('/sw.js');
  const { active } = await navigator.serviceWorker.ready;
  active.postMessage({ msg_type: 'addColl', name: 'played', skipExisting: true, file: { sourceUrl: location.origin + '/played.wacz' } });
  await added;
})();
</script>`;
const prefix = '/w/played/mp_/';
/** The URL that was archived, of one that the player makes of it. */
const archived = /\/w\/played\/(?::[0-9a-f]+\/)?\d*[a-z]{2}_\/(.*)/;

/** @param wabac folder in which it is installed */
export async function openReplay(wabac: string, wacz: string): Promise<Replay> {
  const worker = readFileSync(path.join(wabac, 'node_modules/@webrecorder/wabac/dist/sw.js'));
  const server = createServer((request, response) => {
    if (request.url === '/played.wacz') sendRange(wacz, request, response);
    else if (request.url === '/sw.js')
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(worker);
    else if (request.url === '/') response.writeHead(200, { 'content-type': 'text/html' }).end(player);
    else response.writeHead(404).end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const browser = await chromium.launch(chromiumOptions);
  const context = await browser.newContext();
  await context.addInitScript(serializable);
  // A busy machine may take as long.
  context.setDefaultTimeout(120_000);
  const first = await context.newPage();
  await first.goto(`${origin}/`);
  await first.evaluate('ready');
  await first.close();
  return {
    play: async (url, says) => {
      const page = await context.newPage();
      await page.goto(`${origin}/`);
      await page.evaluate('ready');
      const asked = new Asked(page);
      await page.evaluate(
        `{ const frame = document.createElement('iframe'); frame.width = 1200; frame.height = 600; frame.src = ${JSON.stringify(prefix + url)}; document.body.append(frame); }`,
      );
      let text = '';
      const look = async (): Promise<void> => {
        const [shown] = page.mainFrame().childFrames();
        await shown?.waitForLoadState();
        await shown?.evaluate(scrollDown);
        text = textOf(url, (await shown?.evaluate<string>(domText)) ?? '');
      };
      await until(`${url} says: ${says}`, async () => {
        // A page that goes elsewhere, or begins anew, is looked at again.
        const isSeen = await look().then(
          () => true,
          (error: unknown) => {
            if (/context was destroyed|detached/.test(messageOf(error))) return false;
            throw error;
          },
        );
        return isSeen && text.includes(says) && asked.waiting === 0;
      }).catch((error: unknown) => {
        throw new Error(`it says: ${text}`, { cause: error });
      });
      const missing = asked.missing();
      await page.close();
      return { text, missing };
    },
    close: async () => {
      await browser.close();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** What a page asks for while it is played. */
class Asked {
  readonly #page: Page;
  /** Whether each was answered from the file; null: it is under way. */
  readonly #requests = new Map<Request, boolean | null>();

  constructor(page: Page) {
    this.#page = page;
    page.on('request', (request) => this.#requests.set(request, null));
    page.on('response', (response) => {
      // A 404 of the player itself has no date, other than those that servers have sent.
      const isOwn = response.status() === 404 && response.headers()['date'] === undefined;
      this.#requests.set(response.request(), response.fromServiceWorker() && !isOwn);
    });
    page.on('requestfailed', (request) => {
      this.#requests.set(request, this.#requests.get(request) ?? false);
    });
  }

  get waiting(): number {
    return [...this.#requests.values()].filter((given) => given === null).length;
  }

  /**
   * A URL that was given in one way is not missing in another: service workers see no synchronous request in Chromium, so
   * wabac asks again, and has the page begin anew with the answer.
   */
  missing(): string[] {
    const given = new Set<string>();
    const others = new Map<string, Request>();
    for (const [request, answered] of this.#requests) {
      const [, url = request.url()] = archived.exec(request.url()) ?? [];
      if (answered === true) given.add(url);
      else others.set(url, request);
    }
    return [...others].flatMap(([url, request]) => (given.has(url) ? [] : [`${this.#how(request)} ${url}`]));
  }

  #how(request: Request): string {
    const isPage = request.isNavigationRequest() && request.frame().parentFrame() === this.#page.mainFrame();
    return isPage ? 'navigation' : request.method() === 'GET' ? request.resourceType() : request.method();
  }
}
