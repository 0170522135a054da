/** While pages are committed, the next ones of their lane are read (engine/reading/read-pages.ts). */
import { describe, expect, it } from 'vitest';
import type { BodyStore } from '../../../storage/archive/index.ts';
import { FrontierWriter, type FrontierWrite } from '../../../storage/frontier/index.ts';
import { expectExact } from '../storage/frontier.ts';
import { closedGate } from '../../support/gate.ts';
import { until } from '../../support/until.ts';
import { type HostRow, withFetching } from './fetching.ts';
import { openReader, readBodies } from './reading.ts';
import type { Answer } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

/** Pages that are committed together. */
const batch = 20;
const paths = Array.from({ length: 3 * batch }, (_, at) => `/${String(at)}`);

/** A host whose pages are fetched and wait to be read. */
async function fetched(): Promise<{
  readonly crawl: number;
  readonly host: HostRow;
  readonly origin: string;
}> {
  const { site, host, crawl } = await fetching.site(paths, {
    answers: Object.fromEntries(
      paths.map((path) => [
        path,
        ((response) => {
          response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>${path}</title>`);
        }) satisfies Answer,
      ]),
    ),
  });
  await fetching.role({ sliceMs: 120_000 }).fetchSlice(host);
  return { crawl, host, origin: site.origin };
}

/** Asks before each commit of pages. */
class AskingWriter extends FrontierWriter {
  readonly #ask: () => Promise<void>;
  constructor(ask: () => Promise<void>) {
    super(pool);
    this.#ask = ask;
  }
  override async write(write: FrontierWrite, patienceMs?: number): ReturnType<FrontierWriter['write']> {
    if ((write.pages?.length ?? 0) > 0) await this.#ask();
    return super.write(write, patienceMs);
  }
}

function counting(): { readonly blobs: BodyStore; readonly read: () => number } {
  let read = 0;
  const get: BodyStore['get'] = (hash, at) => {
    read++;
    return fetching.blobs.get(hash, at);
  };
  return { blobs: { put: (...put) => fetching.blobs.put(...put), get }, read: () => read };
}

describe('reading', () => {
  it('reads a second batch while the first is committed, and no third', async () => {
    const { crawl, host } = await fetched();
    const gate = closedGate();
    let asked = 0;
    const writer = new AskingWriter(() => {
      asked++;
      return gate.opened;
    });
    const { blobs, read } = counting();
    const reading = readBodies(fetching, host, openReader({ pool, blobs }, writer));
    // The first page of the third batch is read before its turn to wait is known.
    await until('the second batch was read', () => read() > 2 * batch);
    expect([read(), asked]).toEqual([2 * batch + 1, 1]);
    gate.open();
    await reading;
    expect(read()).toBe(3 * batch);
    await expectExact(pool, crawl);
  });

  it('tells of a commit that failed once no other is under way', async () => {
    const { crawl, host, origin } = await fetched();
    let asked = 0;
    const failing = new AskingWriter(() =>
      ++asked === 2 ? Promise.reject(new Error('refused')) : Promise.resolve(),
    );
    await expect(readBodies(fetching, host, openReader(fetching, failing))).rejects.toThrow('refused');
    const stages = async () =>
      Object.values(await fetching.urls(crawl, origin)).filter(({ stage }) => stage > 0).length;
    // The first batch is committed, and the third was not tried.
    expect([asked, await stages()]).toEqual([2, 2 * batch]);
    await readBodies(fetching, host);
    expect(await stages()).toBe(0);
    await expectExact(pool, crawl);
  });
});
