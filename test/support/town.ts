/** A small web for tours of the product: a synthetic one, and a harbour that sends crawlers away until it is mended. */
import { startWeb, type Web } from '../web/server.ts';
import type { WebOptions } from '../web/options.ts';
import { given } from './given.ts';
import { httpServer } from './http-server.ts';

interface Harbour {
  readonly origin: string;
  /** What was asked for, in order, without robots.txt. */
  readonly asked: readonly string[];
  /** From now on it answers. */
  mend(): void;
  close(): Promise<void>;
}

export interface Town {
  readonly web: Web;
  readonly harbour: Harbour;
  /** Of all hosts. */
  readonly seeds: readonly string[];
  /** Pages link to it, and robots.txt forbids it. */
  readonly forbidden: string;
}

export const boats = 6;

async function openHarbour(): Promise<Harbour> {
  let isMended = false;
  const asked: string[] = [];
  const { origin, close } = await httpServer(({ url = '/' }, response) => {
    if (url === '/robots.txt') {
      response.writeHead(404).end();
      return;
    }
    asked.push(url);
    if (!isMended) {
      response.writeHead(503, { 'retry-after': '86400' }).end('Closed for repairs.');
      return;
    }
    const links = Array.from({ length: boats }, (_, at) => `<a href="/boat/${String(at)}">Boat</a>`);
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(`<html lang="en"><title>Harbour ${url}</title><p>Cranes and boats.</p>${links.join(' ')}`);
  });
  return {
    origin,
    asked,
    mend: () => {
      isMended = true;
    },
    close,
  };
}

/** For the tests of a file. */
export const withTown = (options: Pick<WebOptions, 'hosts' | 'pages'>): Town =>
  given(
    async () => {
      const web = await startWeb({ ...options, seed: 38, wrinkles: 1, bytes: 2_500 });
      const harbour = await openHarbour();
      const forbidden = `${web.origins[0] ?? ''}/private/ledger-0.html`;
      return { web, harbour, forbidden, seeds: [...web.seeds, `${harbour.origin}/`] };
    },
    async ({ web, harbour }) => {
      await harbour.close();
      await web.stop();
    },
  );
