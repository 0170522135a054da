/**
 * The page behind the link in the user agent (F15), for people who found the crawler in their logs. The page needs no
 * script, loads nothing, and holds only facts that any crawled site may know.
 */
import { productToken } from '../../domain/robots.ts';
import { escaped, policyFor } from './html.ts';

interface CrawlerPageFacts {
  /** User agent of crawls that set none. */
  readonly userAgent: string;
  /** The people who run this instance: an e-mail address, a URL, or words; null: nothing is set. */
  readonly contact: string | null;
}

const style = `
body { max-width: 42rem; margin: 2rem auto; padding: 0 1rem; font: 1.05rem/1.55 system-ui, sans-serif; color: #222; background: #fff; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin-top: 1.8rem; }
pre { background: #f3f3f3; padding: .8rem; overflow-x: auto; }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #161616; } pre { background: #262626; } a { color: #8bf; } }
`;

export const crawlerPagePolicy = policyFor(style);

export function crawlerHtml({ userAgent, contact }: CrawlerPageFacts): string {
  const token = escaped(productToken(userAgent));
  const who =
    contact === null
      ? 'The operator of this instance has not named a contact here.'
      : `This instance is run by ${contactHtml(contact)}.`;
  const ask =
    contact === null
      ? 'Ask the operator, if you know them, or use robots.txt as above.'
      : `Write to ${contactHtml(contact)} and name the domain.`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>The crawler ${token}</title>
<style>${style}</style>
<h1>About the crawler in your logs</h1>
<p>A program that calls itself <code>${escaped(userAgent)}</code> has requested pages from your server. The program is Orbweaver, a web crawler: it follows links from page to page, and keeps what it finds for the person who started it. ${who}</p>
<h2>How it behaves</h2>
<ul>
<li>It reads <code>robots.txt</code> before any page of a host, keeps it for a day, and obeys it (RFC 9309). If <code>robots.txt</code> cannot be read because the server is in trouble, it requests no page.</li>
<li>It sends one request at a time to a host, and waits a second between two requests, or as long as your <code>Crawl-delay</code> says. Operators can set another pace for hosts of their own.</li>
<li>It waits as long as a <code>Retry-After</code> asks for, and slows down by itself when a server is overloaded.</li>
<li>It does not follow links marked <code>nofollow</code>, by the page or by <code>X-Robots-Tag</code>.</li>
</ul>
<h2>How to slow it down or keep it out</h2>
<p>Write into your <code>robots.txt</code>, which the crawler reads again within a day:</p>
<pre>User-agent: ${token}
Crawl-delay: 10
Disallow: /private/</pre>
<p><code>Disallow: /</code> keeps it out of the whole host.</p>
<h2>How to opt out</h2>
<p>${ask} An opt-out covers the domain and all its subdomains, and takes effect within seconds: from then on the crawler sends no request there, not even for <code>robots.txt</code>.</p>
<h2>How to complain</h2>
<p>${contact === null ? 'In the same way.' : `Write to ${contactHtml(contact)}.`} Lines from your log, with the time and its zone, help to find out what went wrong.</p>
</html>
`;
}

/** The contact as HTML: a link if the contact is an e-mail address or a URL. */
function contactHtml(contact: string): string {
  const text = escaped(contact);
  if (/^https?:\/\//.test(contact) && URL.canParse(contact))
    return `<a href="${escaped(new URL(contact).href)}">${text}</a>`;
  if (/^[^\s@<>"]+@[^\s@<>"]+$/.test(contact))
    return `<a href="mailto:${escaped(encodeURI(contact))}">${text}</a>`;
  return text;
}
