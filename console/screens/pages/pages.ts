/** The pages of a crawl: filtered, searched, chosen by columns, exported. */
import type { PageView } from '../../../contracts/http/results.ts';
import { pathOf } from '../../api/client.ts';
import { useList } from '../../api/loading.ts';
import { AskUrl } from '../../parts/ask-url.ts';
import { crawlPath, useCrawl } from '../../parts/crawl-frame.ts';
import { html } from '../../parts/html.ts';
import { counted, number, words } from '../../parts/shown.ts';
import { listed, loaded, nothing } from '../../parts/states.ts';
import { Table } from '../../parts/table.ts';
import { query } from '../../router.ts';
import { chosenColumns, columnsFor } from './columns.ts';
import { Exports } from './exports.ts';
import { ColumnChoice, FilterForm, pageFilter } from './filter.ts';
import { Search } from './search.ts';

export function Pages({ crawl }: { readonly crawl: string }) {
  const asked = query.value.get('q');
  return html`<h2>Pages</h2>
    <${FilterForm} />
    ${
      asked === null
        ? html`<${ColumnChoice} /><${PageTable} crawl=${crawl} />`
        : html`<${Search} crawl=${crawl} words=${asked} />`
    }
    <${Exports} crawl=${crawl} />
    <${LeftOut} crawl=${crawl} />`;
}

function PageTable({ crawl }: { readonly crawl: string }) {
  const pages = useList<PageView>(pathOf(`${crawlPath(crawl)}/pages`, { limit: 50, ...pageFilter() }));
  const columns = columnsFor(crawl, chosenColumns(query.value.get('columns')));
  const isFiltered = Object.keys(pageFilter()).length > 0;
  // A list of an open crawl ends where its pages are final; what comes later is read by reading on.
  return html`${listed(
      pages,
      isFiltered ? 'No page fits these filters.' : 'No page has been fetched yet.',
      (rows) =>
        html`<${Table}
            caption="Pages, oldest first"
            columns=${columns}
            rows=${rows}
            keyOf=${({ url, fetchedAt }: PageView) => `${fetchedAt} ${url}`}
          />
          <p class="dim">${counted(rows.length, 'page')} shown. A heading sorts those.</p>`,
    )}
    ${pages.value?.length === 0 && pages.more !== null && nothing('None so far: one answer looks at 20,000 pages at most.')}
    <p class="buttons"><button type="button" onClick=${pages.again}>Read again</button></p>`;
}

/** The URLs that have no page: how many, and why. */
function LeftOut({ crawl }: { readonly crawl: string }) {
  return html`<section aria-labelledby="left-out">
    <h2 id="left-out">A page is missing?</h2>
    <${AskUrl} crawl=${crawl} />
    ${loaded(useCrawl(), ({ excluded, ledger }) => {
      const reasons = Object.entries(excluded).toSorted(([, a], [, b]) => b - a);
      const why = reasons
        .map(([reason, count]) => `${words(reason).toLowerCase()} ${number(count)}`)
        .join(', ');
      const told = [
        `${counted(ledger.excluded, 'URL')} excluded${why === '' ? '' : ` (${why})`}.`,
        `${number(ledger.dead)} are not there, ${number(ledger.failed)} were given up,`,
        `and ${number(ledger.queued + ledger.leased)} are still to be fetched.`,
      ];
      return html`<p>${told.join(' ')}</p>`;
    })}
  </section>`;
}
