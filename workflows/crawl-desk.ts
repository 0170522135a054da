/** What an operator sees of a crawl in Temporal Web: its current details, in Markdown. Pure. */
import { grouped, counted } from '../domain/counted.ts';
import type { CrawlGlance } from '../contracts/activities.ts';
import { standsAs, type CrawlState } from '../domain/crawl-life.ts';
import { hostWorkflowId } from '../contracts/workflows.ts';
import { outageText } from '../domain/outage.ts';
import { plainMarkdown } from '../domain/plain-markdown.ts';
import { consoleLink, workflowLink } from './workflow-link.ts';

interface CrawlDeskState {
  readonly crawlId: string;
  readonly state: CrawlState;
  readonly reason: string | null;
  /** The last glance at the crawl; null: none yet. */
  readonly glance: CrawlGlance | null;
  readonly namespace: string;
  /** Its screen in the console; absent: nobody knows where that is. */
  readonly screen?: unknown;
}

export function crawlMarkdown({ crawlId, state, reason, glance, namespace, screen }: CrawlDeskState): string {
  const lines = [`### Crawl ${crawlId} ${standsAs(state)}${consoleLink(screen)}`];
  if (reason !== null) lines.push(`**Why:** ${plainMarkdown(reason)}`);
  if (glance === null) return lines.join('\n\n');
  const { at, outages = [], label, hosts, waiting, waitsFor } = glance;
  if (at !== undefined) lines.push(`**As of:** ${at}`);
  for (const outage of outages) lines.push(`**Outage:** ${plainMarkdown(outageText(outage))}`);
  if (label !== null) lines.push(`**Label:** ${plainMarkdown(label)}`);
  lines.push(
    `**URLs:** ${counted(glance.pages, 'page')} of ${grouped(glance.discovered)} discovered, ` +
      `${grouped(glance.queued)} queued, ${counted(glance.deadLetters, 'dead letter')}, ` +
      `${glance.perSecond.toFixed(1)} a second`,
    `**Hosts:** ${grouped(hosts.total)}: ${grouped(hosts.working)} at work, ` +
      `${grouped(Math.max(0, waiting - hosts.parked))} waiting, ${grouped(hosts.parked)} parked`,
  );
  if (waitsFor.length > 0) {
    const links = waitsFor.map(
      ({ origin, why, queued }) =>
        `${workflowLink(namespace, hostWorkflowId(origin), origin)} (${why}, ${grouped(queued)} queued)`,
    );
    const more = waiting - waitsFor.length;
    lines.push(`**It waits for:** ${links.join(', ')}${more > 0 ? ` and ${grouped(more)} more` : ''}`);
  }
  return lines.join('\n\n');
}
