/** The head of every screen of one crawl, `/crawls/:crawl…`: which crawl it is, its state, and its tabs. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { CrawlView } from '../../contracts/http/crawls.ts';
import { useAnswer, type Loading } from '../api/loading.ts';
import { base } from '../router.ts';
import { html, type Children } from './html.ts';
import { part, words } from './shown.ts';
import { loaded } from './states.ts';

interface Tab {
  readonly at: string;
  readonly name: string;
}

interface FrameProps {
  readonly crawl: string;
  readonly tabs: readonly Tab[];
  /** The path of the screen that is shown. */
  readonly at: string;
  readonly children?: Children;
}

export const ofCrawl = '/crawls/:crawl';
const everyMs = 5_000;

/** What the API path of a crawl begins with. */
export const crawlPath = (id: string): string => `/v1/crawls/${part(id)}`;

const Shown = createContext<Loading<CrawlView> | null>(null);

/** The crawl that is shown, read again every few seconds by the frame. */
export function useCrawl(): Loading<CrawlView> {
  const crawl = useContext(Shown);
  if (crawl === null) throw new Error('not within the frame of a crawl');
  return crawl;
}

export function CrawlFrame({ crawl: id, tabs, at, children }: FrameProps) {
  const crawl = useAnswer<CrawlView>(crawlPath(id), everyMs);
  const shown = loaded(
    crawl,
    ({ label, state, reason }) =>
      html`<h1 tabindex="-1">
          Crawl ${id}${label === null ? '' : ` · ${label}`}
          <span class=${`badge ${state}`} title=${reason}>${words(state)}</span>
        </h1>
        <nav class="tabs" aria-label="Of this crawl">
          ${tabs.map(
            ({ at: to, name }) =>
              html`<a
                href=${base + to.replace(':crawl', part(id))}
                aria-current=${at === to ? 'page' : undefined}
                >${name}</a
              >`,
          )}
        </nav>
        <${Shown.Provider} value=${crawl}>${children}<//>`,
  );
  return crawl.value === undefined
    ? html`<h1 tabindex="-1">Crawl ${id}</h1>
        ${shown}`
    : shown;
}
