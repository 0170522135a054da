/** The part of the API that an operation belongs to, by its path. */
const parts: readonly (readonly [path: RegExp, name: string, description: string])[] = [
  [/\/dead-letters/, 'Dead letters', 'URLs that were given up, and how to queue them again.'],
  [
    /^\/v1\/webhooks|\/events$/,
    'Events',
    'What happened to crawls, read as a list, live, or sent to webhooks.',
  ],
  [
    /^\/v1\/crawls\/\{crawlId\}\/(?:pages|ledger|audit|explain|outlook|report|export)$/,
    'Results',
    'What a crawl found, how far it is, and why a URL stands where it does.',
  ],
  [/^\/v1\/crawls/, 'Crawls', 'Start, steer, edit and delete crawls.'],
  [/^\/v1\/hosts/, 'Hosts', 'Hosts as crawls have met them, and what operators set for them.'],
  [/^\/v1\/(?:opt-outs|complaints)/, 'Opt-outs', 'Domains that no crawl may ask, and complaints.'],
  [/^\/v1\/(?:keys|tenants?|audit-log)/, 'Tenants', 'Tenants, their quotas and keys, and who changed what.'],
  [/^\/v1\/(?:url|job|urls)/, 'Jobs', 'Compatible with another interface: a crawl as a job.'],
  [/^\/(?:seed|url|api)\//, 'Standing crawl', 'Compatible with another interface: one crawl that goes on.'],
  [/^\/(?:frontier|dedup)\//, 'Frontier', 'The frontier for fetchers of your own.'],
  [/^\/(?:crawler|healthz|readyz|metrics)$/, 'Service', 'The instance itself.'],
];

export const tags = parts.map(([, name, description]) => ({ name, description }));

/** @throws for a path that belongs to no part */
export function tagOf(path: string): string {
  const part = parts.find(([paths]) => paths.test(path));
  if (part === undefined) throw new Error(`${path} belongs to no part of the API: see tags.ts`);
  return part[1];
}
