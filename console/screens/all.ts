/** Every screen, by the path at which it is. */
import type { ComponentType } from 'preact';
import type { Scope } from '../../contracts/tenancy.ts';
import { Access } from './access.ts';
import { AuditLog } from './audit-log.ts';
import { CrawlFreshness } from './crawl-freshness.ts';
import { CrawlHosts } from './crawl-hosts.ts';
import { CrawlSettingsScreen } from './crawl-settings.ts';
import { Crawl } from './crawl.ts';
import { Explain } from './explain.ts';
import { Host } from './host.ts';
import { HostReviews } from './host-reviews.ts';
import { Hosts } from './hosts.ts';
import { NewCrawl } from './new-crawl.ts';
import { OptOuts } from './opt-outs.ts';
import { Overview } from './overview.ts';
import { Page } from './page/page.ts';
import { Pages } from './pages/pages.ts';
import { DeadLetters } from './review/dead-letters.ts';
import { Quarantine } from './review/quarantine.ts';
import { SiteGraph } from './site-graph.ts';
import { Webhook } from './webhook.ts';
import { Webhooks } from './webhooks.ts';

export interface Screen {
  /** Below /console; a part that begins with a colon is given to the view under this name. */
  readonly at: string;
  readonly title: string;
  // Each view takes the parts of its own path.
  readonly view: ComponentType<never>;
  readonly inMenu?: true;
  /** Of a screen of one crawl (`/crawls/:crawl…`): what its tab is called; absent: it has none. */
  readonly tab?: string;
  /** Who has it in the menu; absent: everybody. */
  readonly needs?: { readonly scope: Scope; readonly instance?: true; readonly admin?: true };
}

export const screens: readonly Screen[] = [
  { at: '/', title: 'Overview', view: Overview, inMenu: true },
  { at: '/new', title: 'New crawl', view: NewCrawl, inMenu: true, needs: { scope: 'crawls' } },
  { at: '/crawls/:crawl', title: 'Crawl', view: Crawl, tab: 'Progress' },
  { at: '/crawls/:crawl/pages', title: 'Pages', view: Pages, tab: 'Pages' },
  { at: '/crawls/:crawl/hosts', title: 'Hosts of a crawl', view: CrawlHosts, tab: 'Hosts' },
  { at: '/crawls/:crawl/page', title: 'Page', view: Page },
  { at: '/crawls/:crawl/explain', title: 'Explain', view: Explain, tab: 'Explain' },
  { at: '/crawls/:crawl/dead-letters', title: 'Dead letters', view: DeadLetters, tab: 'Dead letters' },
  { at: '/crawls/:crawl/quarantine', title: 'Quarantine', view: Quarantine, tab: 'Quarantine' },
  { at: '/crawls/:crawl/graph', title: 'Site graph', view: SiteGraph, tab: 'Graph' },
  { at: '/crawls/:crawl/settings', title: 'Settings', view: CrawlSettingsScreen, tab: 'Settings' },
  { at: '/crawls/:crawl/freshness', title: 'Freshness', view: CrawlFreshness, tab: 'Freshness' },
  { at: '/hosts', title: 'Hosts', view: Hosts, inMenu: true, needs: { scope: 'hosts', instance: true } },
  { at: '/hosts/:origin', title: 'Host', view: Host },
  { at: '/host-reviews', title: 'Hosts of poor quality', view: HostReviews },
  {
    at: '/opt-outs',
    title: 'Opt-outs',
    view: OptOuts,
    inMenu: true,
    needs: { scope: 'opt-outs', instance: true },
  },
  {
    at: '/webhooks',
    title: 'Webhooks',
    view: Webhooks,
    inMenu: true,
    needs: { scope: 'webhooks', admin: true },
  },
  { at: '/webhooks/:webhook', title: 'Webhook', view: Webhook },
  { at: '/access', title: 'Access', view: Access, inMenu: true, needs: { scope: 'keys', admin: true } },
  {
    at: '/audit',
    title: 'Audit log',
    view: AuditLog,
    inMenu: true,
    needs: { scope: 'tenants', admin: true },
  },
];
