/**
 * A crawl by name through the real stack, whose only DNS resolver goes away and comes back (F44).
 *
 * @module-tag deep
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditCrawl } from '../../storage/reports/index.ts';
import { withDesk } from '../support/crawling.ts';
import { tables, urlStates } from '../support/database/index.ts';
import { hasDnsmasq, startDnsmasq, type Dnsmasq } from '../support/dnsmasq.ts';
import { makeBlobDir, startWorker, type WorkerProcess } from '../support/worker.ts';
import { withWorld } from '../support/world.ts';

const pages = 10;
/** Known for longer than the crawl lasts. */
const records = ['one', 'two', 'three'].map((name) => `host-record=${name}.test,127.0.0.1,3600`);

describe.skipIf(!hasDnsmasq())('a crawl whose DNS resolver goes away (needs dnsmasq)', () => {
  const world = withWorld();
  const desk = withDesk(world);
  let worker: WorkerProcess;
  let dnsmasq: Dnsmasq;
  let connections = 0;
  beforeAll(async () => {
    dnsmasq = await startDnsmasq(records);
    worker = await startWorker(world, { blobDir: makeBlobDir(), dns: dnsmasq.address });
  });
  afterAll(async () => {
    await worker.kill();
    await dnsmasq.close();
  });

  it('blames no URL, fetches each page once, and ends by itself once the resolver is back', async () => {
    const requests: string[] = [];
    const site = createServer((request, response) => {
      const { url = '' } = request;
      const [host = '', port = ''] = request.headers.host?.split(':') ?? [];
      requests.push(host + url);
      const here = Array.from({ length: pages }, (_, n) => `<a href="/${String(n)}">x</a>`);
      const elsewhere = ['two', 'three'].map((name) => `<a href="http://${name}.test:${port}/">x</a>`);
      const answer = (): void => {
        // One of the three keeps no connection.
        if (host === 'three.test') response.setHeader('connection', 'close');
        response.writeHead(url === '/robots.txt' ? 404 : 200, { 'content-type': 'text/html' });
        response.end(url === '/robots.txt' ? '' : `<p>${host}${url}</p>${[...here, ...elsewhere].join('')}`);
      };
      // The other names become known only when nobody can be asked for them any more.
      if (requests.length === 2) void dnsmasq.stop().then(answer);
      else answer();
    }).listen(0, '127.0.0.1');
    site.on('connection', () => connections++);
    await once(site, 'listening');
    try {
      const { port } = site.address() as AddressInfo;
      const id = await desk.start([`http://one.test:${String(port)}/`], { scope: 'any', delaySeconds: 0.1 });
      await expect.poll(() => worker.log.join('\n')).toContain('DNS is down');
      await dnsmasq.restart(records);
      expect(await desk.ended(id)).toMatchObject({ state: 'finished', reason: 'complete' });

      const paths = ['/robots.txt', '/', ...Array.from({ length: pages }, (_, n) => `/${String(n)}`)];
      const all = ['one.test', 'two.test', 'three.test'].flatMap((host) => paths.map((path) => host + path));
      expect(requests.toSorted()).toEqual(all.toSorted());
      expect(await urlStates(desk.pool, {})).toEqual({ 'done:fetched': 3 * (pages + 1) });
      expect(await tables.letter.count(desk.pool)).toBe(0);
      expect(await auditCrawl(desk.pool, id)).toMatchObject({ differences: [] });
    } finally {
      site.close();
      site.closeAllConnections();
    }
  });

  it('leaves its figures in the log when it drains', async () => {
    expect(await worker.drain()).toBe(0);
    const line = worker.log.find((each) => each.includes('names resolved')) ?? '{}';
    const { dns } = JSON.parse(line) as { dns: Record<string, number> };
    // A name is looked up once for each connection, of which the first has to wait for the answer; a connection that is
    // kept needs no name.
    expect(dns).toMatchObject({ names: 3, misses: 3, hits: connections - 3, stale: 0 });
    expect(dns['hits']).toBeGreaterThanOrEqual(pages + 1);
  });
});
