/**
 * A WACZ played back as people do it: wabac is the service worker of a page in Chromium, and shows what is archived in a
 * frame. Nothing but the worker and the file is served here, so all that a page gets comes out of the file.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { textOf } from '../web/rendering/compare.ts';
import { domText, scrollDown, serializable } from '../web/rendering/online.ts';
import { sendRange } from '../programs/ranges.ts';
import { chromiumOptions } from './temporal-web.ts';
import { until } from './until.ts';

export interface Replay {
  /** Shows a page until it says something, for as long as people wait. Answers what it says then. */
  play(url: string, says: string): Promise<string>;
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
/** How long a page may take until it says what it should. */
const showMs = 15_000;

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
  const first = await context.newPage();
  await first.goto(`${origin}/`);
  await first.evaluate('ready');
  await first.close();
  return {
    play: async (url, says) => {
      const page = await context.newPage();
      await page.goto(`${origin}/`);
      await page.evaluate('ready');
      await page.evaluate(
        `{ const frame = document.createElement('iframe'); frame.width = 1200; frame.height = 600; frame.src = ${JSON.stringify(prefix + url)}; document.body.append(frame); }`,
      );
      let text = '';
      await until(
        `${url} is shown`,
        async () => {
          const [shown] = page.mainFrame().childFrames();
          await shown?.evaluate(scrollDown);
          text = textOf(url, (await shown?.evaluate<string>(domText)) ?? '');
          return text.includes(says);
        },
        showMs,
        // What it says instead is the answer then.
      ).catch(() => undefined);
      await page.close();
      return text;
    },
    close: async () => {
      await browser.close();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
