/**
 * G1: whatever is done to the frontier, in any order and from any number of sessions, ledger and host_queue equal a
 * recount of the URLs, and discovered is the sum of the states.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retrying } from '../../../storage/postgres/index.ts';
import { redriveBatch } from '../../../storage/letters/index.ts';
import { dropHost, parkHost, unparkHost } from '../../../storage/hosts/index.ts';
import { excludeQueued, returnUrls } from '../../../storage/frontier/index.ts';
import { releaseLease, takeLease } from '../../../storage/leases/index.ts';
import { lettersOf, tables } from '../../support/database/index.ts';
import { admission, expectExact, leased, newHost, result, runningCrawl, withFrontier } from './frontier.ts';
import { admit, at, Model, operation, slice } from './ledger-model.ts';
import { runs } from '../../support/runs.ts';

// More sessions than the ledger has shards, so that some share one.
const frontier = withFrontier(40);
const { pool } = frontier;

async function expectLike(model: Model): Promise<void> {
  for (const crawl of model.crawls) {
    const ledger = await expectExact(pool, crawl);
    const states = [...model.urls]
      .filter(([id]) => id.split(' ')[1] === String(crawl))
      .map(([, { state }]) => state);
    expect(ledger).toMatchObject({ discovered: states.length });
    // Never lost, never doubled: each failed URL has its one letter, of the class it failed with.
    const rows = await tables.letter.rows(pool, { crawl_id: crawl });
    const letters = [...model.urls].flatMap(([id, { letter }]) =>
      letter === null || id.split(' ')[1] !== String(crawl) ? [] : [`${id} ${letter}`],
    );
    const found = rows.map(({ host_id: host, key, class: letterClass }) => `${String(host)} ${String(crawl)} ${key.toString('hex')} ${letterClass}`); // prettier-ignore
    expect(found.sort()).toEqual(letters.sort());
    for (const state of ['queued', 'leased', 'done', 'excluded', 'dead', 'failed'] as const) {
      expect(ledger[state], state).toBe(states.filter((each) => each === state).length);
    }
  }
}

describe('the ledger', () => {
  it('equals a recount, and the model, after any operations', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(operation, { minLength: 1, maxLength: 30, size: 'max' }),
        async (operations) => {
          const hosts = await Promise.all([newHost(pool), newHost(pool), newHost(pool)]);
          const crawls = [await runningCrawl(pool), await runningCrawl(pool)];
          const model = new Model(frontier, hosts, crawls);
          for (const each of operations) await each.run(model);
          await expectLike(model);
        },
      ),
      { numRuns: runs(40) },
    );
  });

  it('fails a URL that was there at six crashes, and not before', async () => {
    const [host, crawl] = [await newHost(pool), await runningCrawl(pool)];
    const model = new Model(frontier, [host], [crawl]);
    await admit(0, 0, [1], false).run(model);
    for (let crash = 1; crash <= 6; crash++) {
      await slice(0, 1, [], true).run(model);
      expect(await expectExact(pool, crawl)).toMatchObject({ leased: 1 });
    }
    await slice(0, 1, [], false).run(model);
    expect(await expectExact(pool, crawl)).toMatchObject({ failed: 1 });
    expect(await lettersOf(pool, crawl)).toMatchObject([{ class: 'poison' }]);
  });

  it('stays exact, and nothing gives up on a deadlock, when many do everything at once', async () => {
    const hosts = await Promise.all(Array.from({ length: 6 }, () => newHost(pool)));
    const crawls = [await runningCrawl(pool), await runningCrawl(pool)];
    const url = (number: number): string => `https://x.example/${String(number)}`;
    const worker = async (place: number): Promise<void> => {
      const host = at(hosts, place);
      const other = at(hosts, place + 1);
      for (let round = 0; round < 12; round++) {
        const [lease] = await takeLease(pool, String(host), 600_000);
        if (lease === undefined) continue;
        const places = await leased(pool, host, lease.token, 10);
        await Promise.all(
          places.slice(0, 7).map((leasedUrl, index) =>
            frontier.writer.write({
              results: [
                result(leasedUrl, at(['done', 'dead', 'queued', 'failed'], index), {
                  attempted: index % 4 === 2,
                }),
              ],
              // Its links: some here, some at the next host, many seen before.
              admissions: [1, 2, 3].map((link) =>
                admission(
                  at([host, other], link),
                  leasedUrl.crawl_id,
                  url((place * 31 + round * 17 + index * 7 + link) % 400),
                ),
              ),
            }),
          ),
        );
        await retrying(() => returnUrls(pool, String(host), lease.token));
        await releaseLease(pool, host, lease.token, {
          waitMs: 0,
          paceMs: 0,
          failures: 0,
          lastError: null,
          visit: null,
        });
      }
    };
    const operator = async (): Promise<void> => {
      for (let round = 0; round < 6; round++) {
        const host = String(at(hosts, round));
        await retrying(() => parkHost(pool, host, 'timeout: spent', ['timeout']));
        await retrying(() => dropHost(pool, String(at(hosts, round + 2)), 'busy', 1_000));
        await retrying(() => excludeQueued(pool, at(crawls, round), 'max-pages', 5));
        await unparkHost(pool, host);
        await redriveBatch(pool, { crawlId: null, hostId: host, class: 'timeout', key: null }, null);
        const crawlId = String(at(crawls, round));
        await redriveBatch(pool, { crawlId, hostId: null, class: null, key: null }, null, 20);
      }
    };
    for (const crawl of crawls) {
      await frontier.writer.write({
        admissions: hosts.flatMap((host) =>
          Array.from({ length: 40 }, (_, number) => admission(host, crawl, url(number))),
        ),
      });
    }
    await Promise.all([...Array.from({ length: 12 }, (_, place) => worker(place)), operator(), operator()]);
    for (const crawl of crawls) {
      const ledger = await expectExact(pool, crawl);
      expect(ledger.leased).toBe(0);
    }
  });
});
