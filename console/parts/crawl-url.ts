/** A URL of a crawl, wherever one is shown: to its page, to what was decided about it, and out to the site. */
import { base } from '../router.ts';
import { html } from './html.ts';
import { part } from './shown.ts';

const mostShown = 200;

/** @param screen below `/crawls/:crawl` */
export const urlScreen = (crawl: string, screen: 'page' | 'explain', url: string): string =>
  `${base}/crawls/${part(crawl)}/${screen}?url=${part(url)}`;

/** The whole URL is in the tooltip where it is too long to be shown. */
const shortened = (url: string): string => (url.length > mostShown ? `${url.slice(0, mostShown)} …` : url);

/** @param wasFetched false: there is no page to show, so the link tells what became of the URL */
export function crawlUrl(crawl: string, url: string, wasFetched = true) {
  const why = urlScreen(crawl, 'explain', url);
  return html`<span class="url" title=${url}>
    <a href=${wasFetched ? urlScreen(crawl, 'page', url) : why}><bdi>${shortened(url)}</bdi></a>
    ${wasFetched && html` <a class="aside" href=${why} aria-label=${`why? Explain ${shortened(url)}`}>why?</a>`}
    ${
      /^https?:\/\//i.test(url) &&
      html` <a
        class="aside"
        href=${url}
        target="_blank"
        rel="noopener noreferrer nofollow"
        aria-label=${`Open ${shortened(url)} on the web`}
        >↗</a
      >`
    }
  </span>`;
}
