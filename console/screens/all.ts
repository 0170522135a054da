/** Every screen, by the path at which it is. */
import type { ComponentType } from 'preact';
import type { Scope } from '../../contracts/tenancy.ts';
import { Crawl } from './crawl.ts';
import { Explain } from './explain.ts';
import { Overview } from './overview.ts';
import { Page } from './page/page.ts';
import { Pages } from './pages/pages.ts';
import { DeadLetters } from './review/dead-letters.ts';
import { Quarantine } from './review/quarantine.ts';
import { SiteGraph } from './site-graph.ts';

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
  { at: '/crawls/:crawl', title: 'Crawl', view: Crawl, tab: 'Progress' },
  { at: '/crawls/:crawl/pages', title: 'Pages', view: Pages, tab: 'Pages' },
  { at: '/crawls/:crawl/page', title: 'Page', view: Page },
  { at: '/crawls/:crawl/explain', title: 'Explain', view: Explain, tab: 'Explain' },
  { at: '/crawls/:crawl/dead-letters', title: 'Dead letters', view: DeadLetters, tab: 'Dead letters' },
  { at: '/crawls/:crawl/quarantine', title: 'Quarantine', view: Quarantine, tab: 'Quarantine' },
  { at: '/crawls/:crawl/graph', title: 'Site graph', view: SiteGraph, tab: 'Graph' },
];
