/** What is kept of a page: its texts, links and metadata, each asked for when it is opened. */
import type { PageView } from '../../../contracts/http/results.ts';
import type { PageField } from '../../../contracts/page-fields.ts';
import { pathOf } from '../../api/client.ts';
import { askText, useAnswer } from '../../api/loading.ts';
import { crawlPath } from '../../parts/crawl-frame.ts';
import { crawlUrl } from '../../parts/crawl-url.ts';
import { html } from '../../parts/html.ts';
import { number } from '../../parts/shown.ts';
import { loaded, nothing } from '../../parts/states.ts';

interface Kept {
  readonly path: string;
  readonly url: string;
}

/** More would make the browser slow; a download has it all. */
const mostCharacters = 100_000;
const mostLinks = 500;

const shortened = (text: string) =>
  text.trim() === ''
    ? nothing('It is empty.')
    : html`<pre><bdi>${text.slice(0, mostCharacters)}</bdi></pre>
        ${text.length > mostCharacters && html`<p class="dim">${number(text.length - mostCharacters)} more characters are not shown.</p>`}`;

const useField = (path: string, url: string, fields: PageField) =>
  useAnswer<PageView>(pathOf(`${path}/page`, { url, fields }));

export function Text({ path, url, field }: Kept & { readonly field: 'text' | 'main' }) {
  return loaded(useField(path, url, field), (page) => {
    const text = page[field] ?? null;
    const { repeated } = page;
    return html`${repeated !== undefined && html`<p class="dim">${number(repeated.words)} words that repeat over the site are left out.</p>`}
    ${text === null ? nothing('No text was read in it.') : shortened(text)}`;
  });
}

export function Stored({ path, url, kind }: Kept & { readonly kind: 'markdown' | 'main-markdown' | 'head' }) {
  const at = pathOf(`${path}/body`, { url, part: kind });
  return loaded(
    useAnswer(at, undefined, askText),
    (text) =>
      html`${shortened(text)}
        <p><a href=${at} download>Download</a></p>`,
  );
}

export function Links({ crawl, url }: { readonly crawl: string; readonly url: string }) {
  return loaded(useField(crawlPath(crawl), url, 'anchors'), ({ anchors = null }) => {
    if (anchors === null) return nothing('No links were read in it.');
    if (anchors.length === 0) return nothing('It has no links.');
    return html`<ul class="lines">
        ${anchors
          .slice(0, mostLinks)
          .map(
            ({ url: to, text, rel, position }) =>
              html`<li>
                <bdi>${text.slice(0, 200) || 'without words'}</bdi>${' '}
                <span class="dim">${position}${rel !== '' && `, rel ${rel}`}</span>${' '}
                ${crawlUrl(crawl, to, false)}
              </li>`,
          )}
      </ul>
      ${anchors.length > mostLinks && html`<p class="dim">${number(anchors.length - mostLinks)} more are not shown.</p>`}`;
  });
}

export function Meta({ path, url }: Kept) {
  const page = useAnswer<PageView>(pathOf(`${path}/page`, { url, fields: 'meta,fields' }));
  return loaded(page, ({ meta = null, fields = null }) =>
    meta === null && fields === null
      ? nothing('It says nothing else of itself.')
      : html`${
          fields !== null &&
          html`<h3>By the rules of the crawl</h3>
            ${shortened(JSON.stringify(fields, null, 2))}`
        }
        ${meta !== null && shortened(JSON.stringify(meta, null, 2))}`,
  );
}
