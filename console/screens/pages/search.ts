/** The pages of a crawl that have some words, the best first. */
import type { HitView, SearchAnswerView, SearchIndexView } from '../../../contracts/http/search.ts';
import { pathOf, post } from '../../api/client.ts';
import { useAnswer, useList } from '../../api/loading.ts';
import { Action } from '../../parts/action.ts';
import { crawlPath } from '../../parts/crawl-frame.ts';
import { crawlUrl, urlScreen } from '../../parts/crawl-url.ts';
import { html } from '../../parts/html.ts';
import { instant, number } from '../../parts/shown.ts';
import { listed, loaded } from '../../parts/states.ts';
import { searchFilter } from './filter.ts';

const everyMs = 5_000;
const mostTitle = 300;
const mostOfPart = 300;

export function Search({ crawl, words }: { readonly crawl: string; readonly words: string }) {
  const at = `${crawlPath(crawl)}/search/index`;
  const index = useAnswer<SearchIndexView>(at, everyMs);
  return loaded(index, ({ state, looked, lost }) => {
    if (state === 'none' || state === 'dropped')
      return html`<div class="notice">
        <p>The texts of this crawl are not indexed, so they cannot be searched yet.</p>
        <${Action}
          label="Index them"
          kind="main"
          run=${async () => {
            await post(at);
            index.again();
          }}
        />
      </div>`;
    return html`${state === 'building' && html`<p class="notice">The index is still being made: ${number(looked)} pages are looked at so far. What is in it is found.</p>`}
      ${lost > 0 && html`<p class="notice">${number(lost)} pages cannot be found, since their bodies are gone.</p>`}
      <${Hits} crawl=${crawl} words=${words} />`;
  });
}

function Hits({ crawl, words }: { readonly crawl: string; readonly words: string }) {
  const hits = useList<HitView, SearchAnswerView>(
    pathOf(`${crawlPath(crawl)}/search`, { q: words, limit: 20, ...searchFilter() }),
  );
  const { latest } = hits;
  return listed(
    hits,
    'No page has these words and fits the filters.',
    (rows) =>
      html`<p aria-live="polite">
          ${latest !== undefined && `${number(latest.found)} pages match${latest.complete ? '.' : ', among those that were looked at: more words or filters narrow it down.'}`}
        </p>
        <ol class="hits">
          ${rows.map((hit) => html`<li key=${hit.url}>${shown(crawl, hit)}</li>`)}
        </ol>`,
  );
}

const shown = (crawl: string, { url, title, snippet, status, language, fetchedAt }: HitView) =>
  html`<h3>
      <a href=${urlScreen(crawl, 'page', url)}
        ><bdi>${(title ?? '').slice(0, mostTitle) || 'Without a title'}</bdi></a
      >
    </h3>
    <p>
      <bdi
        >${snippet.map(({ text, hit }) => {
          const shown = text.slice(0, mostOfPart);
          return hit ? html`<mark>${shown}</mark>` : shown;
        })}</bdi
      >
    </p>
    <p class="dim">
      ${crawlUrl(crawl, url)}${` · ${[status ?? 'no status', language, instant(fetchedAt)].filter((text) => text !== null).join(' · ')}`}
    </p>`;
