/** Rules of a crawl, tried on one page before pages are read by them. */
import { useState } from 'preact/hooks';
import type { FetchedPage } from '../../contracts/http/fetch.ts';
import { Form, input, typed } from './form.ts';
import { html } from './html.ts';
import { number } from './shown.ts';
import { facts } from './table.ts';

/** What they have found; a field of the page is null if it has none. */
export interface Trial {
  readonly fields: FetchedPage['fields'];
  readonly unread?: FetchedPage['unread'];
  readonly text: string | null;
  readonly links: readonly string[];
}

interface Props {
  readonly hint: string;
  readonly url: string;
  /** Resolves with a sentence if there is nothing to show. */
  readonly run: (url: string) => Promise<Trial | string>;
}

const [mostCharacters, mostLinks] = [2_000, 50];

export function TryRules({ hint, url, run }: Props) {
  const [found, setFound] = useState<Trial | null>(null);
  const look = async (given: FormData): Promise<string | undefined> => {
    setFound(null);
    const trial = await run(typed(given, 'url') ?? '');
    if (typeof trial === 'string') return trial;
    setFound(trial);
    return undefined;
  };
  return html`<section aria-labelledby="try">
    <h2 id="try">Try the rules on a page</h2>
    <p class="hint">${hint}</p>
    <${Form} label="Try it" run=${look}>
      ${input({ label: 'URL of a page', name: 'url', required: true, value: url, maxLength: 4_096 })}
    <//>
    ${found !== null && shown(found)}
  </section>`;
}

function shown({ fields, unread = [], text, links }: Trial) {
  const names = Object.entries(fields ?? {});
  return html`<div role="status">
    ${names.length === 0 ? html`<p>The rules take no field from this page.</p>` : facts(names.map(([name, value]) => [name, value === null ? html`<span class="dim">not there</span>` : html`<bdi>${typeof value === 'string' ? value : JSON.stringify(value)}</bdi>`] as const))}
    ${unread.map(({ field, type, text: has }) => html`<p class="notice bad">${field}: “<bdi>${has}</bdi>” is no ${type}.</p>`)}
    <details>
      <summary>Text</summary>
      <pre><bdi>${(text ?? '').slice(0, mostCharacters)}</bdi></pre>
      ${(text ?? '').length > mostCharacters && html`<p class="dim">and so on.</p>`}
    </details>
    <details>
      <summary>${number(links.length)} links</summary>
      <ul class="lines">
        ${links.slice(0, mostLinks).map((link) => html`<li><bdi>${link}</bdi></li>`)}
      </ul>
      ${links.length > mostLinks && html`<p class="dim">and ${number(links.length - mostLinks)} more.</p>`}
    </details>
  </div>`;
}
