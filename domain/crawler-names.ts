/** Names of crawlers that sites recognise, and allow or refuse by name. No other crawler may use these names. */
const wellKnown = [
  'googlebot', 'google-extended', 'googleother', 'google-inspectiontool', 'storebot-google', 'adsbot-google',
  'mediapartners-google', 'apis-google', 'feedfetcher-google', 'bingbot', 'adidxbot', 'msnbot', 'bingpreview',
  'slurp', 'duckduckbot', 'duckassistbot', 'baiduspider', 'yandexbot', 'yandeximages', 'yeti', 'seznambot',
  'sogou', 'petalbot', 'applebot', 'facebookexternalhit', 'facebot', 'meta-externalagent', 'twitterbot',
  'linkedinbot', 'pinterestbot', 'amazonbot', 'bytespider', 'gptbot', 'chatgpt-user', 'oai-searchbot',
  'claudebot', 'claude-web', 'anthropic-ai', 'perplexitybot', 'ccbot', 'ia_archiver', 'archive.org_bot',
  'semrushbot', 'ahrefsbot', 'mj12bot', 'dotbot', 'screaming frog', 'uptimerobot',
]; // prettier-ignore

const named = new RegExp(
  `(?<![a-z])(?:${wellKnown.map((name) => name.replaceAll('.', '\\.')).join('|')})(?![a-z])`,
  'i',
);

/** The well-known crawler that a user agent names, anywhere in its text; null: it names none. */
export const impersonated = (userAgent: string): string | null => named.exec(userAgent)?.[0] ?? null;
