import type { CrawlHost } from '../../contracts/http/crawl-hosts.ts';
import { session } from '../api/client.ts';
import { useList } from '../api/loading.ts';
import { crawlPath } from '../parts/crawl-frame.ts';
import { html } from '../parts/html.ts';
import { number, part, words } from '../parts/shown.ts';
import { listed } from '../parts/states.ts';
import { base } from '../router.ts';

/** The hosts of a crawl as a tree: below each domain that somebody has registered its hosts. */
export function CrawlHosts({ crawl: id }: { readonly crawl: string }) {
  const hosts = useList<CrawlHost>(`${crawlPath(id)}/hosts?limit=200`);
  return html`<h2>Hosts</h2>
    ${listed(
      hosts,
      'This crawl has met no host yet.',
      (items) =>
        html`<ul class="tree">
          ${[...Map.groupBy(items, ({ domain }) => domain)].map(
            ([domain, those]) => html`<li key=${domain}>${branch(id, domain, those)}</li>`,
          )}
        </ul>`,
    )}`;
}

function branch(crawl: string, domain: string, hosts: readonly CrawlHost[]) {
  const [only] = hosts;
  if (only !== undefined && hosts.length === 1) return host(crawl, only);
  const sum = (of: (each: CrawlHost) => number): number => hosts.reduce((all, each) => all + of(each), 0);
  const all = counted(
    sum(({ urls }) => urls),
    sum(({ queued }) => queued),
  );
  return html`<details open=${hosts.length <= 20}>
    <summary>
      <bdi>${domain}</bdi>${' '}
      <span class="dim">${number(hosts.length)} hosts, ${all}</span>
    </summary>
    <ul>
      ${hosts.map((each) => html`<li key=${each.origin}>${host(crawl, each)}</li>`)}
    </ul>
  </details>`;
}

const counted = (urls: number, queued: number): string =>
  `${number(urls)} ${urls === 1 ? 'URL' : 'URLs'}${queued > 0 ? `, ${number(queued)} queued` : ''}`;

const host = (crawl: string, { origin, urls, queued, leased, waits }: CrawlHost) =>
  html`<a href=${`${base}/crawls/${part(crawl)}/pages?host=${part(origin)}`}><bdi>${origin}</bdi></a
    >${' '}
    <span class="dim">${counted(urls, queued)}</span>
    ${leased > 0 && html` <span class="badge leased">at work</span>`}
    ${waits !== null && html` <span class=${`badge ${waits}`}>${words(waits)}</span>`}
    ${session.value?.instance === true && html` <a class="aside" href=${`${base}/hosts/${part(origin)}`} aria-label=${`Settings of ${origin}`}>settings</a>`}`;
