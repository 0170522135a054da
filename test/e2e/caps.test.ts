/**
 * Many names on one address (F05): what a wildcard in DNS makes, or a machine with a thousand small sites. Two workers
 * crawl them while one is killed, and the machine is sent no more than the cap says.
 *
 * @module-tag deep
 */
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CapBook } from '../../engine/caps/cap-book.ts';
import { explainUrlOf } from '../../engine/explain/explain.ts';
import { auditCrawl } from '../../storage/reports/index.ts';
import { withDesk } from '../support/crawling.ts';
import { tables, urlStates } from '../support/database/index.ts';
import { hasDnsmasq, startDnsmasq, type Dnsmasq } from '../support/dnsmasq.ts';
import { listen } from '../support/loopback.ts';
import { until } from '../support/until.ts';
import { makeBlobDir, startWorker, type WorkerProcess } from '../support/worker.ts';
import { withWorld } from '../support/world.ts';
import { mostTogether, mostWithin } from '../web/crowd.ts';

const names = 24;
const pages = 3;
const rate = 10;

describe.skipIf(!hasDnsmasq())('many names on one address (needs dnsmasq)', () => {
  const world = withWorld();
  const desk = withDesk(world);
  let workers: readonly WorkerProcess[];
  let dnsmasq: Dnsmasq;
  beforeAll(async () => {
    dnsmasq = await startDnsmasq(['address=/wild.test/127.0.0.7']);
    const environment = { ORBWEAVER_CAP_PRIVATE: 'on', ORBWEAVER_ADDRESS_RATE: String(rate) };
    const settings = { blobDir: makeBlobDir(), dns: dnsmasq.address, leaseSeconds: 3, environment };
    workers = await Promise.all([startWorker(world, settings), startWorker(world, settings)]);
  });
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.kill()));
    await dnsmasq.close();
  });

  it('are asked together no more than the cap says, and all of them are crawled', async () => {
    const log: { host: string; start: number; end: number | null }[] = [];
    const site = createServer((request, response) => {
      const one: (typeof log)[number] = {
        ...{ host: request.headers.host ?? '', start: performance.now() },
        end: null,
      };
      log.push(one);
      response.on('close', () => (one.end = performance.now()));
      const { url = '' } = request;
      const links = Array.from({ length: pages }, (_, n) => `<a href="/${String(n)}">x</a>`).join('');
      setTimeout(() => {
        response.writeHead(url === '/robots.txt' ? 404 : 200, { 'content-type': 'text/html' });
        response.end(url === '/robots.txt' ? '' : `<p>${one.host}${url}</p>${links}`);
      }, 50);
    });
    const port = await listen(site, '127.0.0.7');
    try {
      const seeds = Array.from(
        { length: names },
        (_, n) => `http://s${String(n)}.wild.test:${String(port)}/`,
      );
      const id = await desk.start(seeds, { delaySeconds: 0.2 });
      const book = new CapBook(desk.pool, {
        address: { rate, inFlight: null },
        domain: null,
        ofPrivate: true,
      });
      const whys: string[] = [];
      await until('a host waits for its address', async () => {
        for (const url of seeds) {
          const told = await explainUrlOf(desk.pool, id, url, 'Orbweaver', book);
          const why = told?.decisions.find(({ verdict }) => verdict === 'address-cap');
          if (why !== undefined) whys.push(why.because);
        }
        return whys.length > 0;
      });
      expect(whys[0]).toMatch(
        /^The host waits for its address 127\.0\.0\.7: a cap of 10 requests per second, 10 in flight,/,
      );
      await until('the crawl is under way', () => log.length > 2 * rate);
      await workers[0]?.kill();

      expect(await desk.ended(id)).toMatchObject({ state: 'finished', reason: 'complete' });
      expect(mostWithin(log, 1_000)).toBeLessThanOrEqual(rate);
      expect(mostTogether(log)).toBeLessThanOrEqual(rate);
      expect(new Set(log.map(({ host }) => host)).size).toBe(names);
      expect(await urlStates(desk.pool, {})).toEqual({ 'done:fetched': names * (pages + 1) });
      expect(await tables.letter.count(desk.pool)).toBe(0);
      expect(await auditCrawl(desk.pool, id)).toMatchObject({ differences: [] });
    } finally {
      site.close();
      site.closeAllConnections();
    }
  });
});
