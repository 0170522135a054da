import { useState } from 'preact/hooks';
import type { HostRobots } from '../../contracts/http/host-robots.ts';
import { pathOf, post } from '../api/client.ts';
import { useAnswer } from '../api/loading.ts';
import { Action } from '../parts/action.ts';
import { Form, input, typed } from '../parts/form.ts';
import { html, outward } from '../parts/html.ts';
import { instant, number, part, span } from '../parts/shown.ts';
import { loaded } from '../parts/states.ts';

const namedSitemaps = 20;

/** The copy that holds, with its numbers of lines, and what it says of a path. */
export function HostRobotsView({ origin }: { readonly origin: string }) {
  const path = `/v1/hosts/${part(origin)}/robots`;
  const [asked, setAsked] = useState<{ readonly url?: string; readonly agent?: string }>({});
  const robots = useAnswer<HostRobots>(pathOf(path, asked));
  const test = (given: FormData): Promise<undefined> => {
    const [url, agent] = [typed(given, 'url'), typed(given, 'agent')];
    setAsked({ ...(url !== undefined && { url }), ...(agent !== undefined && { agent }) });
    return Promise.resolve(undefined);
  };
  const reread = async (): Promise<string> => {
    await post(path);
    return 'It is read again before the next request.';
  };
  return html`<${Form}
      label="Test"
      run=${test}
      isRow
      more=${html`<${Action} label="Read it again" run=${reread} />`}
    >
      ${input({ label: 'Path or URL', name: 'url', placeholder: '/private/page', required: true, maxLength: 4_096 })}
      ${input({ label: 'User agent', name: 'agent', placeholder: 'ours', maxLength: 256 })}
    <//>
    ${loaded(
      robots,
      (view) =>
        html`${verdict(view)}
          <p>${copy(view)}</p>
          ${view.sitemaps.length > 0 && sitemaps(view.sitemaps)}
          ${
            view.body !== null &&
            view.body !== '' &&
            html`<details open=${view.verdict !== null}>
              <summary>The file</summary>
              ${lines(view)}
            </details>`
          }`,
    )}`;
}

const verdict = ({ verdict: found, agent }: HostRobots) =>
  found !== null &&
  html`<p class=${found.allowed === false ? 'notice bad' : 'notice'} role="status">
    <code>${found.path}</code>
    ${
      found.allowed === null
        ? ' may not be fetched before robots.txt can be read.'
        : found.allowed
          ? ` may be fetched by ${agent}`
          : ` is forbidden to ${agent}`
    }
    ${found.allowed !== null && (found.rule === null ? ': no rule is about it.' : html`: line ${found.line}, <code>${found.rule}</code>`)}
  </p>`;

function copy({ status, fetchedAt, isCut, crawlDelaySeconds, agent, body }: HostRobots): string {
  if (status === null || fetchedAt === null)
    return 'It has not been read yet; it is read before the first request.';
  const what = body === null ? ', so there are no rules' : '';
  const delay =
    crawlDelaySeconds === null
      ? ''
      : ` It asks ${agent} for ${span(crawlDelaySeconds)} between two requests.`;
  return `Read ${instant(fetchedAt)}, answered ${String(status)}${what}.${delay}${isCut ? ' It is longer than the part that is read.' : ''}`;
}

const sitemaps = (urls: readonly string[]) =>
  html`<p>Sitemaps that it names:</p>
    <ul>
      ${urls.slice(0, namedSitemaps).map((url) => html`<li>${outward(url)}</li>`)}
      ${urls.length > namedSitemaps && html`<li>and ${number(urls.length - namedSitemaps)} more</li>`}
    </ul>`;

const shownLines = 2_000;

const lines = ({ body, verdict: found }: HostRobots) => {
  const all = (body ?? '').split(/\r\n|\r|\n/);
  return html`<pre class="lines" tabindex="0">
${all
  .slice(0, shownLines)
  .map((line, at) => html`<code class=${found?.line === at + 1 ? 'marked' : ''}>${line || ' '}</code>`)}</pre>
    ${all.length > shownLines && html`<p class="dim">The first ${number(shownLines)} of ${number(all.length)} lines.</p>`}`;
};
