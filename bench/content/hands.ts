/**
 * Pages as many hands write them: the same article in the templates of content systems, with their dates, counters and
 * surroundings in several languages. Dates and relative times are written by ICU, as content systems have them written.
 */
import { seeded, Words } from './alike-set.ts';

type Random = () => number;

/** What one system shows of an article at one time. */
export interface Shown {
  readonly language: string;
  readonly title: string;
  readonly paragraphs: readonly string[];
  readonly at: Date;
  /** Of one reading of the page: how often it was seen, commented on and shared, and how old it is in hours. */
  readonly seen: number;
  readonly comments: number;
  readonly shares: number;
  readonly hours: number;
  /** Titles of other articles. */
  readonly others: readonly string[];
  /** What the site says on all of its pages. */
  readonly about: string;
}

/** Views, comments, shares, published, updated, print of. */
const says: Readonly<Record<string, readonly [string, string, string, string, string, string]>> = {
  en: ['views', 'comments', 'shares', 'Published', 'Last updated', 'Printed from'],
  de: ['Aufrufe', 'Kommentare', 'mal geteilt', 'Veröffentlicht am', 'Aktualisiert am', 'Gedruckt von'],
  fr: ['vues', 'commentaires', 'partages', 'Publié le', 'Mis à jour le', 'Imprimé de'],
  es: ['visitas', 'comentarios', 'compartidos', 'Publicado el', 'Actualizado el', 'Impreso de'],
  it: ['visualizzazioni', 'commenti', 'condivisioni', 'Pubblicato il', 'Aggiornato il', 'Stampato da'],
  pt: [
    ...(['visualizações', 'comentários', 'partilhas', 'Publicado em'] as const),
    ...(['Atualizado em', 'Impresso de'] as const),
  ],
  nl: ['weergaven', 'reacties', 'keer gedeeld', 'Gepubliceerd op', 'Bijgewerkt op', 'Afgedrukt van'],
  pl: ['wyświetleń', 'komentarzy', 'udostępnień', 'Opublikowano', 'Aktualizacja', 'Wydruk ze strony'],
  sv: ['visningar', 'kommentarer', 'delningar', 'Publicerad', 'Uppdaterad', 'Utskrift från'],
  ru: ['просмотров', 'комментариев', 'репостов', 'Опубликовано', 'Обновлено', 'Напечатано с'],
  tr: ['görüntülenme', 'yorum', 'paylaşım', 'Yayınlanma', 'Güncelleme', 'Yazdırılan sayfa'],
  ja: ['回閲覧', '件のコメント', 'シェア', '公開日', '更新日', '印刷元'],
  zh: ['次阅读', '条评论', '次分享', '发布时间', '更新时间', '打印自'],
  ko: ['조회', '댓글', '공유', '입력', '수정', '인쇄'],
};
export const languages = Object.keys(says);
const wordsIn = (language: string): readonly string[] => says[language] ?? says['en'] ?? [];

const day = (s: Shown, style: 'full' | 'long' | 'medium' | 'short' = 'long'): string =>
  new Intl.DateTimeFormat(s.language, { dateStyle: style, timeZone: 'UTC' }).format(s.at);
const dayAndTime = (s: Shown, style: 'long' | 'medium' | 'short' = 'long'): string =>
  new Intl.DateTimeFormat(s.language, { dateStyle: style, timeStyle: 'short', timeZone: 'UTC' }).format(s.at);
const ago = (s: Shown): string => {
  const relative = new Intl.RelativeTimeFormat(s.language);
  return s.hours < 24
    ? relative.format(-s.hours, 'hour')
    : relative.format(-Math.floor(s.hours / 24), s.hours < 700 ? 'day' : 'month');
};
const iso = (s: Shown): string => s.at.toISOString().slice(0, 19);
const count = (s: Shown, value: number): string => new Intl.NumberFormat(s.language).format(value);
const short = (value: number): string =>
  value < 1_000 ? String(value) : `${(value / 1_000).toFixed(1).replace('.0', '')}K`;

const paragraphs = (s: Shown): string => s.paragraphs.map((line) => `<p>${line}</p>`).join('\n');
const list = (titles: readonly string[]): string =>
  `<ul>${titles.map((title, at) => `<li><a href="/${String(at)}">${title}</a></li>`).join('')}</ul>`;
const page = (s: Shown, body: string): string =>
  `<!doctype html><html lang="${s.language}"><head><meta charset="utf-8"><title>${s.title}</title></head><body>${body}</body></html>`;

type Hand = (shown: Shown) => string;

/** By the habits of each system, written down from memory of its themes. */
export const hands: Readonly<Record<string, Hand>> = {
  WordPress: (s) => {
    const [views, comments] = wordsIn(s.language);
    return page(
      s,
      `<div id="page" class="site"><header id="masthead"><nav>${list(s.others.slice(0, 4))}</nav></header><div id="content" class="site-content"><main id="main"><article class="post hentry"><header class="entry-header"><h1 class="entry-title">${s.title}</h1><div class="entry-meta"><span class="posted-on"><time class="entry-date published" datetime="${iso(s)}">${day(s)}</time></span> <span class="byline">admin</span> <span class="comments-link"><a href="#c">${count(s, s.comments)} ${comments ?? ''}</a></span> <span class="post-views">${count(s, s.seen)} ${views ?? ''}</span></div></header><div class="entry-content">${paragraphs(s)}</div><footer class="entry-footer">${list(s.others.slice(4, 6))}</footer></article></main><aside id="secondary" class="widget-area">${list(s.others)}</aside></div><footer id="colophon"><p>${s.about}</p></footer></div>`,
    );
  },
  'news portal': (s) => {
    const [, comments, shares, , updated] = wordsIn(s.language);
    return page(
      s,
      `<div class="topbar">${list(s.others.slice(0, 5))}</div><article class="story"><h1>${s.title}</h1><p class="timestamp">${updated ?? ''} ${dayAndTime(s)}</p><div class="social">${short(s.shares)} ${shares ?? ''} · ${count(s, s.comments)} ${comments ?? ''}</div><div class="story-body">${paragraphs(s)}</div><p class="stamp">${updated ?? ''}: ${dayAndTime(s, 'short')}</p></article><section class="more">${list(s.others.slice(2))}</section><div class="legal">${s.about}</div>`,
    );
  },
  'news portal without classes': (s) => {
    const [views, comments, shares, published, updated] = wordsIn(s.language);
    return page(
      s,
      `<div>${list(s.others.slice(0, 6))}</div><div><h1>${s.title}</h1><p>${published ?? ''} ${day(s, 'full')} | ${updated ?? ''} ${dayAndTime(s, 'medium')}</p>${paragraphs(s)}<p>${count(s, s.seen)} ${views ?? ''}, ${count(s, s.comments)} ${comments ?? ''}, ${short(s.shares)} ${shares ?? ''}</p></div><div>${s.about}</div>`,
    );
  },
  'a blog of the past': (s) => {
    const [views, comments, , published] = wordsIn(s.language);
    return page(
      s,
      `<table width="100%"><tr><td>${list(s.others.slice(0, 5))}</td><td><h3>${s.title}</h3>${s.paragraphs.join('<br><br>')}<br><br><small>${published ?? ''}: ${day(s, 'short')} @ ${s.at.toISOString().slice(11, 16)} (${String(s.seen)} ${views ?? ''}) ${comments ?? ''}: ${String(s.comments)}</small></td></tr></table><center>${s.about}</center>`,
    );
  },
  'a public office': (s) => {
    const [views, , , published, updated] = wordsIn(s.language);
    return page(
      s,
      `<div id="kopf">${list(s.others.slice(0, 5))}</div><div id="inhalt"><h1>${s.title}</h1><p>${published ?? ''} ${day(s, 'medium')}</p>${paragraphs(s)}<p>${updated ?? ''}: ${day(s, 'short')}</p><p>${views ?? ''}: ${count(s, s.seen)}</p></div><div id="fuss">${s.about}</div>`,
    );
  },
  forum: (s) => {
    const [views] = wordsIn(s.language);
    return page(
      s,
      `<div id="wrap"><div id="page-header">${list(s.others.slice(0, 4))}</div><div id="page-body"><h2 class="topic-title">${s.title}</h2><div class="pagination">${count(s, s.seen)} ${views ?? ''}</div><div class="post"><div class="postbody"><p class="author">by <a href="/u">reader</a> » ${s.at.toUTCString().slice(0, 22)}</p><div class="content">${s.paragraphs.join('<br>')}</div></div><dl class="postprofile"><dd>Posts: ${String(s.comments * 7)}</dd></dl></div></div><div id="page-footer">${s.about}</div></div>`,
    );
  },
  'a site of scripts': (s) => {
    const [views, comments] = wordsIn(s.language);
    const card = s.others
      .slice(0, 4)
      .map((title) => `<div class="css-1k2"><a href="/x">${title}</a></div>`)
      .join('');
    return page(
      s,
      `<div id="__next"><div class="css-0"><div class="css-9">${card}</div><div class="css-7"><h1 class="css-a1">${s.title}</h1><div class="css-4"><span>${ago(s)}</span><span>·</span><span>${short(s.seen)} ${views ?? ''}</span><span>·</span><span>${short(s.comments)} ${comments ?? ''}</span></div>${s.paragraphs.map((line) => `<div class="css-p"><p>${line}</p></div>`).join('')}</div><div class="css-f">${s.about}</div></div></div>`,
    );
  },
  'print version': (s) => {
    const [, , , , , printed] = wordsIn(s.language);
    return page(
      s,
      `<h1>${s.title}</h1><p>${printed ?? ''} http://example.org/artikel?id=${String(s.seen)} (${dayAndTime(s, 'medium')})</p><hr>${paragraphs(s)}<hr><p>© ${String(s.at.getUTCFullYear())}</p>`,
    );
  },
  syndicated: (s) =>
    page(
      s,
      `<div class="hdr">${list(s.others.slice(0, 8))}</div><div class="article"><h1>${s.title}</h1><div class="date">${day(s, 'medium')} (${s.at.toISOString().slice(11, 16)} GMT)</div>${paragraphs(s)}<p><i>${s.others[1] ?? ''}</i></p></div><div class="related"><h3>${s.others[0] ?? ''}</h3>${list(s.others)}</div><div class="bottom">${s.about}</div>`,
    ),
};

/** Makes prose, sites and readings of a page. */
export class Scribe {
  readonly random: Random;
  readonly words: Words;
  constructor(seed: number) {
    this.random = seeded(seed);
    this.words = new Words(this.random);
  }
  between(least: number, most: number): number {
    return Math.floor(least * (most / least) ** this.random());
  }
  pick<T>(of: readonly T[]): T {
    return of[Math.floor(this.random() * of.length)] as T;
  }
  sentence(words: number): string {
    const said = this.words.some(words).join(' ');
    return `${said.charAt(0).toUpperCase()}${said.slice(1)}.`;
  }
  /** Paragraphs of so many words together. */
  prose(words: number): string[] {
    const lines: string[] = [];
    for (let left = words; left > 0;) {
      const length = Math.min(left, this.between(20, 80));
      const sentences: string[] = [];
      for (let rest = length; rest > 0; rest -= 14) sentences.push(this.sentence(Math.min(rest, 14)));
      lines.push(sentences.join(' '));
      left -= length;
    }
    return lines;
  }
  titles(count: number): string[] {
    return Array.from({ length: count }, () => this.sentence(this.between(4, 8)).slice(0, -1));
  }
  /** A reading of an article: everything around its text is other than at any other reading. */
  reading(language: string, title: string, text: readonly string[], about: string): Shown {
    const { random } = this;
    return {
      ...{ language, title, paragraphs: text, about, others: this.titles(9) },
      at: new Date(Date.UTC(2003, 0, 1) + Math.floor(random() * 7e11)),
      seen: this.between(20, 90_000),
      comments: this.between(2, 400),
      shares: this.between(2, 9_000),
      hours: this.between(1, 4_000),
    };
  }
}
