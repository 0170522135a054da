/** One page of a crawl: what was found in it, and all that is kept of it. */
import type { Explanation } from '../../../contracts/http/explain.ts';
import type { PageView } from '../../../contracts/http/results.ts';
import { pathOf } from '../../api/client.ts';
import { useAnswer } from '../../api/loading.ts';
import { AskUrl } from '../../parts/ask-url.ts';
import { crawlPath } from '../../parts/crawl-frame.ts';
import { crawlUrl, urlScreen } from '../../parts/crawl-url.ts';
import { Fold } from '../../parts/fold.ts';
import { html, outward, type Children } from '../../parts/html.ts';
import { base } from '../../router.ts';
import { bytes, instant, number, part, words } from '../../parts/shown.ts';
import { loaded, nothing, refused } from '../../parts/states.ts';
import { facts } from '../../parts/table.ts';
import { query } from '../../router.ts';
import { Links, Meta, Stored, Text } from './contents.ts';
import { Versions } from './versions.ts';

const mostTitle = 300;

export function Page({ crawl }: { readonly crawl: string }) {
  const url = query.value.get('url') ?? '';
  if (url === '')
    return html`<h2>Page</h2>
      <${AskUrl} crawl=${crawl} />`;
  return html`<${OnePage} key=${url} crawl=${crawl} url=${url} />`;
}

interface OfPage {
  readonly crawl: string;
  readonly url: string;
}

function OnePage({ crawl, url }: OfPage) {
  const at = crawlPath(crawl);
  const page = useAnswer<PageView>(pathOf(`${at}/page`, { url }));
  if (page.value === undefined && page.refusal?.status === 404)
    return html`<h2>No page</h2>
      ${refused(page.refusal)}
      <p><a href=${urlScreen(crawl, 'explain', url)}>Explain what became of it</a></p>`;
  return loaded(page, (found) => {
    const body = (kind: 'body' | 'screenshot' | 'pdf'): string =>
      pathOf(`${at}/body`, { url: found.url, ...(kind !== 'body' && { part: kind }) });
    return html`<h2><bdi>${found.title?.slice(0, mostTitle) ?? 'Without a title'}</bdi></h2>
      <p>${outward(found.url)}</p>
      <p class="buttons">
        <a href=${urlScreen(crawl, 'explain', found.url)}>Explain</a>
        ${found.contentHash !== null && html`<a href=${body('body')} download>Download the body</a>`}
        ${found.pdf !== null && html`<a href=${body('pdf')} download>Download the PDF</a>`}
        <a href=${`${base}/crawls/${part(crawl)}/pages?host=${part(new URL(found.url).origin)}`}
          >Pages of this host</a
        >
      </p>
      ${known(crawl, found)}
      ${
        found.screenshot !== null &&
        html`<figure>
          <img class="shot" src=${body('screenshot')} alt="What a browser showed of the page" />
        </figure>`
      }
      <${Origin} crawl=${crawl} url=${found.url} />
      <${Fold} title="Text" show=${() => html`<${Text} path=${at} url=${found.url} field="text" />`} />
      <${Fold} title="Main text" show=${() => html`<${Text} path=${at} url=${found.url} field="main" />`} />
      <${Fold}
        title="Markdown"
        show=${() => html`<${Stored} path=${at} url=${found.url} kind="markdown" />`}
      />
      <${Fold}
        title="Main text as Markdown"
        show=${() => html`<${Stored} path=${at} url=${found.url} kind="main-markdown" />`}
      />
      <${Fold}
        title=${`Links${found.linkCount === null ? '' : ` (${number(found.linkCount)})`}`}
        show=${() => html`<${Links} crawl=${crawl} url=${found.url} />`}
      />
      <${Fold}
        title="What else it says of itself"
        show=${() => html`<${Meta} path=${at} url=${found.url} />`}
      />
      <${Fold} title="Versions" show=${() => html`<${Versions} crawl=${crawl} url=${found.url} />`} />
      <${Fold}
        title="Its answer in the archive"
        show=${() => html`<${Stored} path=${at} url=${found.url} kind="head" />`}
      />`;
  });
}

const yesNo = (value: boolean): string => (value ? 'yes' : 'no');

function known(crawl: string, page: PageView) {
  const link = (url: string | null): Children => url !== null && crawlUrl(crawl, url);
  const { nearDuplicateOf: near, revisitOf: revisit } = page;
  const cut = Object.entries(page.cut);
  return facts([
    [
      'State',
      html`<span class=${`badge ${page.state}`}>${words(page.state)}</span>
        ${page.reason !== null && ` ${words(page.reason)}`}`,
    ],
    ['Status', page.status ?? 'none'],
    ['Fetched', instant(page.fetchedAt)],
    ['Type', html`<bdi>${page.contentType ?? 'not told'}</bdi>`],
    ['Size', bytes(page.bytes)],
    page.language !== null && ['Language', page.language],
    page.words !== null && ['Words', number(page.words)],
    ['Links from a seed', number(page.depth)],
    page.redirectTo !== null && ['Redirects to', link(page.redirectTo)],
    page.canonical !== null && ['Names as canonical', link(page.canonical)],
    page.noindex !== null && ['Asks not to be indexed', yesNo(page.noindex)],
    page.duplicateOf !== null && [
      page.duplicateBy === 'text' ? 'Same text as' : 'Same body as',
      link(page.duplicateOf),
    ],
    near !== null && [
      `Nearly the same text as (${number(Math.round(near.likeness * 100))} %, ${number(near.distance)} bits differ)`,
      link(near.url),
    ],
    revisit !== null && [
      `Body first came to crawl ${revisit.crawlId}, ${instant(revisit.storedAt)}`,
      crawlUrl(revisit.crawlId, revisit.url),
    ],
    page.description !== null && ['Description', html`<bdi>${page.description.slice(0, 400)}</bdi>`],
    page.contentHash !== null && ['SHA-256 of the body', html`<code>${page.contentHash}</code>`],
    page.reportedHash !== null && [
      'SHA-256 of the body, as its fetcher reported it',
      html`<code>${page.reportedHash}</code>`,
    ],
    cut.length > 0 && ['Left out', cut.map(([kind, count]) => `${number(count)} ${words(kind)}`).join(', ')],
  ]);
}

/** Where the URL was found, and what a browser did with the page: what explain knows. */
function Origin({ crawl, url }: OfPage) {
  const explained = useAnswer<Explanation>(pathOf(`${crawlPath(crawl)}/explain`, { url }));
  return loaded(explained, ({ summary, record }) => {
    const rendering = record?.rendering ?? null;
    return html`<p>${summary}</p>
      ${
        record !== null &&
        facts([
          [
            'Found on',
            record.discoveredFrom === null
              ? 'no page: it is a seed or from a sitemap'
              : crawlUrl(crawl, record.discoveredFrom),
          ],
          ['Discovered', instant(record.discoveredAt)],
          ['Requests answered', number(record.requests)],
          rendering !== null && ['Rendered because', rendering.reason],
          rendering !== null && [
            'Rendering ended',
            rendering.outcome === null ? 'not yet' : words(rendering.outcome),
          ],
          rendering !== null && ['Rounds of the browser', number(rendering.rounds)],
        ])
      }
      ${rendering !== null && html`<${Fold} title="Rendering" show=${() => rendered(crawl, rendering)} />`}`;
  });
}

const rendered = (crawl: string, rendering: NonNullable<NonNullable<Explanation['record']>['rendering']>) =>
  html`${facts([
      ['Words without it', rendering.words === null ? '–' : number(rendering.words)],
      ['Links without it', rendering.links === null ? '–' : number(rendering.links)],
      rendering.navigation !== null && [
        'Scripts wanted to go to',
        crawlUrl(crawl, rendering.navigation, false),
      ],
      [
        'Refused',
        Object.entries(rendering.refused)
          .map(([kind, count]) => `${number(count)} ${kind}`)
          .join(', ') || 'nothing',
      ],
    ])}
    <h3>What it asked for</h3>
    ${
      rendering.resources.length === 0
        ? nothing('Nothing.')
        : html`<ul>
            ${rendering.resources.map(({ url, type, outcome }) => html`<li>${crawlUrl(crawl, url, false)} ${type}: ${outcome}</li>`)}
          </ul>`
    }
    <h3>Its console</h3>
    ${rendering.console.length === 0 ? nothing('Silent.') : html`<pre>${rendering.console.join('\n')}</pre>`}`;
