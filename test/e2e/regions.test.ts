/**
 * Two regions as two sets of processes, one of them far from Postgres and Temporal, and where namespaces can be made on a
 * network of its own (F17): hosts are fetched from where they
 * belong, by the web's own log; one region is killed and the other one frozen, each in its turn: the other takes over, and
 * gives back.
 * @module-tag deep
 */
import { expect, it } from 'vitest';
import { auditCrawl } from '../../storage/reports/index.ts';
import { withDesk } from '../support/crawling.ts';
import { farNet, openFarPlace } from '../support/far-place.ts';
import { startNameServer } from '../support/name-server.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { makeBlobDir, startWorker, type WorkerProcess } from '../support/worker.ts';
import { withWorld } from '../support/world.ts';
import { expectedOf } from '../web/expected.ts';
import { judge } from '../web/judge.ts';
import { domainOf } from '../web/names.ts';
import { startWeb } from '../web/server.ts';

const world = withWorld();
const desk = withDesk(world);
const blobDir = makeBlobDir();
const delaySeconds = 0.3;
/** One way, in milliseconds: as between two continents. */
const farMs = 40;
/** Seconds; a sign of life may be five old when its process is killed. */
const [takeOver, notesEvery] = [10, 5];

it('hosts go to their region; one that is killed or frozen is taken over, and gets its hosts back', async () => {
  const place = openFarPlace();
  const names = await startNameServer('127.0.0.1');
  const web = await startWeb({ seed: 17, hosts: 6, pages: 240, latencyMs: 20, spread: 'names' });
  const postgres = new URL(world.databaseUrl);
  const temporalPort = Number(world.temporalAddress.split(':')[1]);
  const ours = place?.address ?? '127.0.0.1';
  const lines = [
    await startTcpProxy(Number(postgres.port), { delayMs: farMs, host: ours }),
    await startTcpProxy(temporalPort, { delayMs: farMs, host: ours }),
  ] as const;
  /** From there the web is at our end of the line. */
  const ports = place === null ? [] : web.origins.map((origin) => Number(new URL(origin).port));
  const ways = await Promise.all(ports.map((port) => startTcpProxy(port, { host: ours, port })));
  const farNames = await startNameServer(ours, ours);
  postgres.host = lines[0].address;
  const far = {
    databaseUrl: postgres.href,
    redisUrl: null,
    temporalAddress: lines[1].address,
    namespace: world.namespace,
  };
  const home = (host: string): string => (domainOf(host) === 'domain1.test' ? 'us' : 'eu');
  const common = {
    ORBWEAVER_REGIONS: 'eu:us; us:eu',
    ORBWEAVER_REGION_PLACES: 'us:domain1.test',
    ORBWEAVER_REGION_TAKE_OVER_SECONDS: String(takeOver),
    ORBWEAVER_ALLOW_PRIVATE: `127.0.0.0/8,${farNet}`,
  };
  const fetchesIn = (region: string, from: Parameters<typeof startWorker>[0]): Promise<WorkerProcess> =>
    startWorker(from, {
      blobDir,
      roles: 'fetch',
      sliceSeconds: 1,
      dns: from === far ? farNames.address : names.address,
      ...(from === far && place !== null && { command: place.command }),
      environment: { ...common, ORBWEAVER_REGION: region, ORBWEAVER_USER_AGENT: region },
    });
  /** Requests that workers of a region sent to hosts of `of`, after the first `since` of all. */
  const sent = (by: string, of: string, since = 0): number =>
    web.log().filter((each, at) => at >= since && each.userAgent === by && home(each.host) === of).length;

  const others = await startWorker(world, { blobDir, roles: 'control,extract', environment: common });
  const eu = await fetchesIn('eu', world);
  let us = await fetchesIn('us', far);
  try {
    const id = await desk.start(web.seeds, { scope: 'any', delaySeconds });
    await until('both regions fetch', () => sent('eu', 'eu') >= 30 && sent('us', 'us') >= 30);
    expect([sent('eu', 'us'), sent('us', 'eu')]).toEqual([0, 0]);

    await us.kill();
    const [killed, before] = [performance.now(), web.log().length];
    await until('eu takes over', () => sent('eu', 'us') > 0, 240_000);
    expect(performance.now() - killed).toBeGreaterThan((takeOver - notesEvery) * 1_000);
    // Nobody else waits for that.
    expect(sent('eu', 'eu', before)).toBeGreaterThan(0);

    us = await fetchesIn('us', far);
    const back = web.log().length;
    await until('us has its hosts back', () => sent('us', 'us', back) > 0, 240_000);
    expect(sent('us', 'eu')).toBe(0);

    eu.child.kill('SIGSTOP');
    const [frozen, stood] = [performance.now(), web.log().length];
    await until('us takes over', () => sent('us', 'eu') > 0, 240_000);
    expect(performance.now() - frozen).toBeGreaterThan((takeOver - notesEvery) * 1_000);
    expect(sent('us', 'us', stood)).toBeGreaterThan(0);
    eu.child.kill('SIGCONT');
    const awake = web.log().length;
    await until('eu has its hosts back', () => sent('eu', 'eu', awake) > 0, 240_000);
    expect(await desk.ended(id)).toMatchObject({ state: 'finished', reason: 'complete' });
    const last = (of: string): string | null | undefined =>
      web.log().findLast((each) => home(each.host) === of)?.userAgent;
    expect([last('us'), last('eu')]).toEqual(['us', 'eu']);
    const verdict = judge(web.log(), { delayMs: delaySeconds * 1_000, expected: expectedOf(web.plan) });
    expect(verdict).toMatchObject({ overlaps: [], tooSoon: [], missing: [], disallowed: [], unexpected: [] });
    expect(await auditCrawl(desk.pool, id)).toMatchObject({ differences: [] });
    for (const worker of [eu, us, others]) expect(await worker.drain()).toBe(0);
  } finally {
    await web.stop();
    await names.close();
    await farNames.close();
    for (const line of [...lines, ...ways]) await line.close();
    place?.close();
  }
});
