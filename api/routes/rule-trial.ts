/** Rules tried on a stored page. */
import { crawlPath } from '../../contracts/http/shared.ts';
import { ruleTrial, ruleTrialRequest, type RuleTrial } from '../../contracts/http/rule-trial.ts';
import { tryRules } from '../../engine/rule-trial.ts';
import { findCrawl } from '../../storage/crawls/index.ts';
import { noSuchCrawl } from '../crawls/crawl-ids.ts';
import { reader } from '../way-in/access.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { fails, json } from './answers.ts';
import { refuseUncrawlable } from './crawlable.ts';
import { route } from './route.ts';

export const ruleTrialRoutes = [
  route({
    method: 'POST',
    path: '/v1/crawls/{crawlId}/rule-trial',
    access: reader('crawls'),
    id: 'tryRules',
    summary: 'Try rules on a stored page: fields, text and links as a crawl with these rules would read them',
    params: crawlPath,
    body: ruleTrialRequest,
    answers: {
      200: json('What the rules find. Nothing is requested, and nothing is stored.', ruleTrial),
      404: fails('There is no such crawl, or it has no stored body of this URL.'),
      422: fails('The rules are not valid, the URL cannot be crawled, or the body is no page.'),
    },
    cost: 'heavy',
    handler:
      ({ pool, archive, settings }) =>
      async ({ params: { crawlId }, body: { url, rules } }): Promise<RuleTrial> => {
        refuseUncrawlable(url);
        if ((await findCrawl(pool, crawlId)) === null) noSuchCrawl(crawlId);
        const found = await tryRules(pool, archive, crawlId, url, rules, settings.userAgent);
        if (found === null) throw new HttpProblem(404, `Crawl ${crawlId} has no stored body of this URL.`);
        if (found === 'no-markup')
          throw new HttpProblem(422, 'The stored body of this URL is no page, so no rules can be applied.');
        return found;
      },
  }),
];
