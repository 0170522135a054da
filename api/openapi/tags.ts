/** The part of the API that an operation belongs to, by its path. */
const parts: readonly (readonly [path: RegExp, name: string, description: string])[] = [
  [/\/dead-letters/, 'Dead letters', 'URLs that were given up, and how to queue them again.'],
  [
    /^\/v1\/webhooks|\/events$/,
    'Events',
    'What happened to crawls: as a list, as a live stream, or sent to webhooks.',
  ],
  [
    /^\/v1\/crawls\/\{crawlId\}\/(?:pages?|ledger|audit|explain|outlook|report|export|body|sitemaps|exports|reextractions)(?:$|\/)/,
    'Results',
    'What a crawl found, how far the crawl is, and why a URL is in its state.',
  ],
  [/^\/v1\/search|\/search(?:\/index)?$/, 'Search', 'Pages by their texts, and the indexes that this takes.'],
  [/^\/v1\/fetch/, 'Fetch', 'One page, from the archive or fetched politely.'],
  [/^\/v1\/crawls/, 'Crawls', 'Start, steer, edit and delete crawls.'],
  [
    /^\/v1\/(?:hosts|host-reviews|caps|shards)/,
    'Hosts',
    'Hosts that crawls have met, the settings that operators give them, caps on hosts together, and the shards that hosts are in.',
  ],
  [
    /^\/v1\/(?:opt-outs|complaints)/,
    'Opt-outs',
    'Domains that no crawl may send requests to, and complaints.',
  ],
  [/^\/v1\/ranks/, 'Ranks', 'A public ranking of domains, by which pages can be scored.'],
  [/^\/v1\/(?:keys|tenants?|audit-log)/, 'Tenants', 'Tenants, their quotas and keys, and who changed what.'],
  [/^\/v1\/(?:sign-in-links|console-session)/, 'Console', 'Signing in to the web console.'],
  [/^\/mcp$/, 'Agents', 'Tools for programs that talk to a model.'],
  [/^\/v1\/(?:url|job|urls)/, 'Jobs', 'A crawl as a job, compatible with another interface.'],
  [/^\/(?:seed|url|api)\//, 'Default crawl', 'One crawl that never ends, compatible with another interface.'],
  [/^\/(?:frontier|dedup)\//, 'Frontier', 'URLs for fetchers of your own.'],
  [/^\/(?:crawler|healthz|readyz|metrics)$/, 'Service', 'The instance itself.'],
];

export const tags = parts.map(([, name, description]) => ({ name, description }));

/** @throws for a path that belongs to no part */
export function tagOf(path: string): string {
  const part = parts.find(([paths]) => paths.test(path));
  if (part === undefined) throw new Error(`${path} belongs to no part of the API: see tags.ts`);
  return part[1];
}
