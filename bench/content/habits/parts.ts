/** What pages in the ways of many hands are made of: facts, heads, menus, comments, lists of other texts. */

export interface Facts {
  readonly language: string;
  /** Of publication, and of a change ten days later. */
  readonly date: Date;
  readonly changed: Date;
  readonly authors: readonly string[];
  readonly headline: string;
  readonly site: string;
  readonly host: string;
  readonly paragraphs: readonly string[];
}

export interface HabitPage {
  readonly way: string;
  readonly url: string;
  readonly html: string;
  /** Day of publication; null: the page has none. */
  readonly date: string | null;
  readonly authors: readonly string[];
}

export type Told = Partial<Pick<HabitPage, 'url' | 'date' | 'authors'>> & { readonly html: string };

export const pad = (n: number): string => String(n).padStart(2, '0');
export const day = (date: Date): string => date.toISOString().slice(0, 10);
export const slashed = (date: Date): string => day(date).replaceAll('-', '/');
export const shown = (
  { language, date }: Facts,
  dateStyle: 'long' | 'full' | 'medium' | 'short' = 'long',
  of = date,
): string => new Intl.DateTimeFormat(language, { dateStyle, timeZone: 'UTC' }).format(of);
export const at = (date: Date, offset: string): string => `${day(date)}T22:41:07${offset}`;
export const text = ({ paragraphs }: Facts, count = 6): string =>
  paragraphs
    .slice(0, count)
    .map((line) => `<p>${line}</p>`)
    .join('\n');
export const ld = (value: unknown): string =>
  `<script type="application/ld+json">${JSON.stringify(value)}</script>`;
export const slug = ({ headline }: Facts): string =>
  headline
    .toLowerCase()
    .replace(/[^a-z]+/g, '-')
    .replace(/^-|-$/g, '') || 'text';
const by: Readonly<Record<string, string>> = {
  en: 'By',
  'en-US': 'By',
  de: 'Von',
  fr: 'Par',
  es: 'Por',
  it: 'Di',
  nl: 'Door',
  pl: 'Autor:',
  pt: 'Por',
  ru: 'Автор:',
  sv: 'Av',
  ja: '文＝',
  zh: '作者：',
  cs: 'Autor:',
};
const And: Readonly<Record<string, string>> = {
  en: 'and',
  'en-US': 'and',
  de: 'und',
  fr: 'et',
  es: 'y',
  it: 'e',
  nl: 'en',
  pl: 'i',
  pt: 'e',
  ru: 'и',
  sv: 'och',
  ja: '、',
  zh: '、',
  cs: 'a',
};
export const people = ({ authors, language }: Facts): string =>
  authors.length < 2
    ? (authors[0] ?? '')
    : `${authors.slice(0, -1).join(', ')} ${And[language] ?? 'and'} ${authors.at(-1) ?? ''}`;
export const label = ({ language }: Facts): string => by[language] ?? 'By';
export const menu =
  '<div class="menu"><ul><li><a href="/">Home</a></li><li><a href="/news">News</a></li><li><a href="/about">About</a></li><li><a href="/contact">Contact</a></li></ul></div>';
export const recent = ({ language, date }: Facts): string =>
  `<div id="secondary" class="widget-area"><div class="widget widget_recent_entries"><h2>Recent posts</h2><ul>${[
    3, 9, 21,
  ]
    .map((days) => {
      const other = new Date(date.getTime() + days * 86_400_000);
      return `<li><a href="/p${String(days)}">Another text of ours</a> <span class="post-date">${new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(other)}</span></li>`;
    })
    .join('')}</ul></div></div>`;
export const comments = ({ date, language }: Facts): string =>
  `<div id="comments" class="comments-area"><ol class="comment-list">${['Tom', 'susi77', 'Old Reader']
    .map((name, nth) => {
      const when = new Date(date.getTime() + (nth + 1) * 90_000_000);
      return `<li class="comment"><div class="comment-author vcard"><b class="fn">${name}</b></div><div class="comment-metadata"><time datetime="${when.toISOString()}">${new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(when)}</time></div><p>I have seen this too, and I think that it is so.</p></li>`;
    })
    .join('')}</ol></div>`;
export const page = (f: Facts, head: string, body: string, title = `${f.headline} - ${f.site}`): string =>
  `<!doctype html><html lang="${f.language}"><head><meta charset="utf-8"><title>${title}</title>${head}</head><body>${body}<footer><p>© ${String(f.date.getUTCFullYear() + 1)} ${f.site}</p></footer></body></html>`;

/** Yoast's graph, as most of WordPress has it. */
export const yoast = (f: Facts, url: string, type: string | null, author = f.authors[0]): string =>
  ld({
    '@context': 'https://schema.org',
    '@graph': [
      ...(type === null
        ? []
        : [
            {
              '@type': type,
              '@id': `${url}#article`,
              isPartOf: { '@id': url },
              author: { name: author, '@id': `https://${f.host}/#/schema/person/1` },
              headline: f.headline,
              datePublished: at(f.date, '+00:00'),
              dateModified: at(f.changed, '+00:00'),
              publisher: { '@id': `https://${f.host}/#organization` },
            },
          ]),
      {
        '@type': 'WebPage',
        '@id': url,
        url,
        name: `${f.headline} - ${f.site}`,
        ...(type === null
          ? {}
          : { datePublished: at(f.date, '+00:00'), dateModified: at(f.changed, '+00:00') }),
      },
      { '@type': 'WebSite', '@id': `https://${f.host}/#website`, name: f.site, url: `https://${f.host}/` },
      { '@type': 'Organization', '@id': `https://${f.host}/#organization`, name: f.site },
      ...(type === null
        ? []
        : [{ '@type': 'Person', '@id': `https://${f.host}/#/schema/person/1`, name: author }]),
    ],
  });

/** A way to make a page of facts; what it is known to tell stands beside it. */
export type Ways = Readonly<Record<string, (f: Facts) => Told>>;
