/** Names of other crawlers are theirs. */
import { expect, it } from 'vitest';
import { configFields } from '../../contracts/http/crawl-settings.ts';
import { impersonated } from '../../domain/crawler-names.ts';

it.each([
  'Googlebot',
  'GOOGLEBOT/2.1',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/1',
  'mine (like Baiduspider)',
  'x_GPTBot',
  'archive.org_bot',
])('%s is refused', (userAgent) => {
  expect(impersonated(userAgent)).not.toBeNull();
  const read = configFields.userAgent.safeParse(userAgent);
  expect(read.error?.issues[0]?.message).toMatch(/is the name of another crawler/);
});

it.each([
  'Orbweaver/1.0 (+http://localhost/)',
  'MyBot/1',
  'slurpy/1',
  'Mozilla/5.0 (compatible; Friendly/1.0)',
])('%s is taken', (userAgent) => {
  expect(configFields.userAgent.safeParse(userAgent).success).toBe(true);
});
