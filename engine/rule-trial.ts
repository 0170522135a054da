/** What rules would find in a stored page. Nothing is requested, and nothing is stored. */
import type { PageRules } from '../contracts/page-rules.ts';
import { needTree } from '../contracts/page-rules.ts';
import type { RuleTrial } from '../contracts/http/rule-trial.ts';
import { wholeConfig } from '../contracts/crawl.ts';
import { aside } from '../content/aside.ts';
import { isExtractable } from '../content/media.ts';
import { applyRules } from '../content/rules.ts';
import { namesOf } from '../domain/robots.ts';
import { loadCrawls } from '../storage/crawls/index.ts';
import type { Queryable } from '../storage/postgres/index.ts';
import { findStoredBody, type Answers } from './stored-answer.ts';

/**
 * Null: the crawl has no body of the URL. 'no-markup': no rules can be applied to the body.
 * @param url one that a crawl can have
 * @param rules undefined: those of the crawl
 * @param userAgent of the instance
 */
export async function tryRules(
  db: Queryable,
  archive: Answers,
  crawlId: string,
  url: string,
  rules: PageRules | null | undefined,
  userAgent: string,
): Promise<RuleTrial | 'no-markup' | null> {
  const [crawl] = await loadCrawls(db, [Number(crawlId)]);
  const stored = await findStoredBody(db, archive, crawlId, url);
  if (crawl === undefined || stored === null) return null;
  const { body, page } = stored;
  if (!isExtractable(page.content_type, body)) return 'no-markup';
  const config = wholeConfig(crawl.config);
  const tried = rules === undefined ? config.rules : rules;
  const from = performance.now();
  const ruled = needTree(tried) ? await applyRules(body, page.content_type, page.url, tried) : null;
  const milliseconds = Math.round(performance.now() - from);
  const read = await aside('read', body, {
    ruled,
    url: page.url,
    contentType: page.content_type,
    xRobotsTag: page.robots_tag,
    agentTokens: namesOf(userAgent, config.userAgent ?? userAgent),
    maxLinks: config.maxLinksPerPage,
    followed: tried?.links.follow,
  });
  const { title, fields, text, main, words, links, cut } = read;
  const unread = ruled?.unread ?? [];
  return { url: page.url, title, fields, unread, text, main, words, links: [...links], cut, milliseconds };
}
