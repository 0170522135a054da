/** `crawl --concurrency N`: the hosts of the seeds, which belong to the user, take several requests at a time. */
import { counted } from '../../domain/counted.ts';
import { judgeSeeds } from '../../domain/seeds.ts';
import type { Api } from '../api/api.ts';
import { CommandError } from '../ending.ts';
import { changeHost } from '../hosts/host-settings.ts';
import type { CrawlRequest } from './request.ts';

/** Users hardly own more hosts than this. */
const mostHosts = 100;

/**
 * The setting stays with each host until it is taken back. Answers in one sentence what was done.
 * @param concurrency requests in flight at a host, 1 to 16 @throws CommandError if the seeds name too many hosts
 */
export async function setConcurrency(api: Api, concurrency: number, request: CrawlRequest): Promise<string> {
  const origins = originsOf(request);
  for (const origin of origins) await changeHost(api, origin, { concurrency });
  const [first = ''] = origins;
  const more = origins.length === 1 ? '' : ` and ${String(origins.length - 1)} more`;
  return (
    `${first}${more} ${origins.length === 1 ? 'takes' : 'take'} up to ${counted(concurrency, 'request')} at a time from now on; ` +
    `./orbweaver host set ${first} --concurrency default resets that. A host that a seed leads to may not be yours: it gets one request at a time until you set it likewise.`
  );
}

function originsOf({ body, rest }: CrawlRequest): readonly string[] {
  const { seeds } = JSON.parse(body) as { readonly seeds: string | readonly string[] };
  const origins = new Set(
    judgeSeeds(seeds).flatMap(({ canonical }) => (canonical === null ? [] : [canonical.host])),
  );
  if (rest !== null || origins.size > mostHosts)
    throw new CommandError(
      `--concurrency is for hosts you own: the seeds may name at most ${String(mostHosts)} hosts.`,
    );
  return [...origins];
}
