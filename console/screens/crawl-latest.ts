import type { PageView } from '../../contracts/http/results.ts';
import type { Paged } from '../api/client.ts';
import { useAnswer } from '../api/loading.ts';
import { crawlPath } from '../parts/crawl-frame.ts';
import { loaded, nothing } from '../parts/states.ts';
import { html } from '../parts/html.ts';
import { Table } from '../parts/table.ts';
import { columnsFor } from './pages/columns.ts';

const everyMs = 5_000;

interface Props {
  readonly crawl: string;
  /** More may come. */
  readonly isOpen: boolean;
}

/** The latest pages, as they come. */
export function LatestPages({ crawl, isOpen }: Props) {
  const latest = useAnswer<Paged<PageView>>(
    `${crawlPath(crawl)}/pages?from=latest&limit=10`,
    isOpen ? everyMs : undefined,
  );
  return loaded(latest, ({ items }) =>
    items.length === 0
      ? nothing('No page has come yet.')
      : html`<${Table}
          caption="Pages, the latest first"
          columns=${columnsFor(crawl, ['fetchedAt', 'status', 'url', 'title'])}
          rows=${items.toReversed()}
          keyOf=${({ url }: PageView) => url}
        />`,
  );
}
