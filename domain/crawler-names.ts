/** Crawlers that sites know by name, and let in or keep out by it: nobody else may go by these names. */
const wellKnown = [
  ...['googlebot', 'google-extended', 'googleother', 'google-inspectiontool', 'storebot-google', 'adsbot-google'],
  ...['mediapartners-google', 'apis-google', 'feedfetcher-google', 'bingbot', 'adidxbot', 'msnbot', 'bingpreview'],
  ...['slurp', 'duckduckbot', 'duckassistbot', 'baiduspider', 'yandexbot', 'yandeximages', 'yeti', 'seznambot'],
  ...['sogou', 'petalbot', 'applebot', 'facebookexternalhit', 'facebot', 'meta-externalagent', 'twitterbot'],
  ...['linkedinbot', 'pinterestbot', 'amazonbot', 'bytespider', 'gptbot', 'chatgpt-user', 'oai-searchbot'],
  ...['claudebot', 'claude-web', 'anthropic-ai', 'perplexitybot', 'ccbot', 'ia_archiver', 'archive.org_bot'],
  ...['semrushbot', 'ahrefsbot', 'mj12bot', 'dotbot', 'screaming frog', 'uptimerobot'],
]; // prettier-ignore

const named = new RegExp(
  `(?<![a-z])(?:${wellKnown.map((name) => name.replaceAll('.', '\\.')).join('|')})(?![a-z])`,
  'i',
);

/** The crawler that a user agent takes itself for, wherever it says so; null: none of those that are known. */
export const impersonated = (userAgent: string): string | null => named.exec(userAgent)?.[0] ?? null;
