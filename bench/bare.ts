/**
 * The yardstick: the least a crawl in this language can be. One request of a host at a time over undici, links by SAX,
 * a seen-set in memory, nothing kept, no robots.txt, no pace. `node bench/bare.ts SEEDS_FILE` prints one JSON line.
 */
import { readFileSync } from 'node:fs';
import { Parser } from 'htmlparser2';
import { Client } from 'undici';
import { measure, reportSelf } from './figures.ts';

const seeds = readFileSync(process.argv[2] ?? '', 'utf8')
  .split('\n')
  .filter(Boolean);

interface Lane {
  readonly client: Client;
  readonly queue: string[];
  busy: boolean;
}

const lanes = new Map<string, Lane>();
for (const seed of seeds) {
  lanes.set(new URL(seed).origin, { client: new Client(new URL(seed).origin), queue: [], busy: false });
}
const seen = new Set<string>();
let pages = 0;
let bytes = 0;
let open = 0;
let finish = (): void => undefined;
let fail: (error: unknown) => void = () => undefined;

function admit(link: string, base: string | undefined): void {
  const url = URL.parse(link, base);
  if (url === null) return;
  url.hash = '';
  const lane = lanes.get(url.origin);
  if (lane === undefined || seen.has(url.href)) return;
  seen.add(url.href);
  open++;
  lane.queue.push(url.href);
  if (!lane.busy) work(lane).catch(fail);
}

async function work(lane: Lane): Promise<void> {
  lane.busy = true;
  for (let url = lane.queue.shift(); url !== undefined; url = lane.queue.shift()) {
    const base = url;
    const { pathname, search } = new URL(url);
    const { body } = await lane.client.request({ method: 'GET', path: pathname + search });
    const parser = new Parser({
      onopentag: (name, attributes) => {
        if (name === 'a' && attributes['href'] !== undefined) admit(attributes['href'], base);
      },
    });
    const html = await body.text();
    parser.end(html);
    pages++;
    bytes += html.length;
    open--;
  }
  lane.busy = false;
  if (open === 0) finish();
}

const seconds = await measure(
  () =>
    new Promise<void>((resolve, reject) => {
      finish = resolve;
      fail = reject;
      for (const seed of seeds) admit(seed, undefined);
    }),
);
await Promise.all([...lanes.values()].map(({ client }) => client.close()));
reportSelf({ pages, seconds, bytes });
