/** `crawl --concurrency N`: the hosts of the seeds, which belong to the user, take several requests at a time. */
import type { Config } from '../config/config.ts';
import { hostSettingsChange } from '../contracts/hosts.ts';
import { canonicalize } from '../domain/url.ts';
import { shardOf } from '../domain/shard.ts';
import type { Pool } from '../storage/postgres/index.ts';
import { setHost } from '../storage/hosts/index.ts';
import { seedEntries } from '../storage/seeds/index.ts';
import { CommandError } from './ending.ts';
import type { CrawlRequest } from './request.ts';

/** Users hardly own more hosts than this. */
const mostHosts = 100;

/**
 * The setting stays with each host until it is taken back. Answers in one sentence what was done.
 * @param concurrency requests in flight at a host, 1 to 16 @throws CommandError if the seeds name too many hosts
 */
export async function setConcurrency(
  pool: Pool,
  { shards }: Pick<Config, 'shards'>,
  concurrency: number,
  request: CrawlRequest,
): Promise<string> {
  const origins = originsOf(request);
  const change = hostSettingsChange.parse({ concurrency });
  for (const origin of origins) await setHost(pool, origin, shardOf(origin, shards), change);
  const [first = ''] = origins;
  const more = origins.length === 1 ? '' : ` and ${String(origins.length - 1)} more`;
  return (
    `${first}${more} ${origins.length === 1 ? 'takes' : 'take'} up to ${String(concurrency)} requests at a time from now on; ` +
    `./orbweaver host set ${first} --concurrency default resets that.`
  );
}

function originsOf({ body, rest }: CrawlRequest): readonly string[] {
  const { seeds } = JSON.parse(body) as { readonly seeds: string | readonly string[] };
  const origins = new Set(
    seedEntries(seeds).flatMap((seed) => {
      const read = canonicalize(seed.trim());
      return read.ok ? [read.value.host] : [];
    }),
  );
  if (rest !== null || origins.size > mostHosts)
    throw new CommandError(
      `--concurrency is for hosts you own: the seeds may name at most ${String(mostHosts)} hosts.`,
    );
  return [...origins];
}
