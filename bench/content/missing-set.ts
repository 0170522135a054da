/**
 * Sites of many hands that answer unknown paths with status 200, as each of them does it, beside pages of theirs that are
 * there and look like such an answer: help about 404, empty lists, pages that quote the message.
 */
import { languages, Scribe } from './hands.ts';

interface MadeSite {
  /** How it answers paths that it does not know. */
  readonly kind: string;
  /** Answers unknown paths with a page; false: with a shell or a login, which says nothing of any page. */
  readonly soft: boolean;
  readonly known: (path: string, kind: KnownKind) => string;
  readonly unknown: (path: string) => string;
}

export const knownKinds = [
  ...(['article', 'short', 'list', 'help about 404', 'an empty search', 'quotes the message'] as const),
];
type KnownKind = (typeof knownKinds)[number];

/** Title, text and what to do, as error pages say it. */
const messages: Readonly<Record<string, readonly [string, string, string]>> = {
  en: [
    'Page not found',
    'Sorry, the page you are looking for could not be found.',
    'It may have been moved or deleted. Try the search or go back to the start.',
  ],
  de: [
    'Seite nicht gefunden',
    'Die von Ihnen aufgerufene Seite konnte leider nicht gefunden werden.',
    'Bitte prüfen Sie die Adresse oder nutzen Sie unsere Suche.',
  ],
  fr: [
    'Page introuvable',
    'Désolé, la page que vous recherchez est introuvable.',
    'Elle a peut-être été déplacée. Revenez à la page d’accueil.',
  ],
  es: [
    'Página no encontrada',
    'Lo sentimos, la página solicitada no existe.',
    'Compruebe la dirección o vuelva a la portada.',
  ],
  it: [
    'Pagina non trovata',
    'La pagina richiesta non è disponibile.',
    'Torna alla pagina iniziale oppure cerca nel sito.',
  ],
  pt: [
    'Página não encontrada',
    'A página que você procura não existe mais.',
    'Volte para o início ou use a busca.',
  ],
  nl: [
    'Pagina niet gevonden',
    'De pagina die u zoekt bestaat niet meer.',
    'Ga terug naar de beginpagina of zoek hieronder.',
  ],
  pl: [
    'Nie znaleziono strony',
    'Przepraszamy, ta strona nie istnieje.',
    'Wróć na stronę główną lub skorzystaj z wyszukiwarki.',
  ],
  sv: [
    'Sidan hittades inte',
    'Sidan du söker finns inte längre.',
    'Gå till startsidan eller använd sökfunktionen.',
  ],
  ru: [
    'Страница не найдена',
    'К сожалению, запрошенная страница не найдена.',
    'Проверьте адрес или вернитесь на главную.',
  ],
  tr: ['Sayfa bulunamadı', 'Üzgünüz, aradığınız sayfa bulunamadı.', 'Ana sayfaya dönün veya arama yapın.'],
  ja: [
    'ページが見つかりません',
    'お探しのページは見つかりませんでした。',
    '移動または削除された可能性があります。',
  ],
  zh: ['页面不存在', '抱歉,您访问的页面不存在或已被删除。', '请返回首页或使用搜索。'],
  ko: [
    '페이지를 찾을 수 없습니다',
    '요청하신 페이지가 존재하지 않습니다.',
    '주소를 확인하시거나 홈으로 이동해 주세요.',
  ],
};

export function missingSet(seed: number): readonly MadeSite[] {
  const scribe = new Scribe(seed);
  const sites: MadeSite[] = [];
  const news = scribe.titles(12);
  const card = (): string =>
    `<div class="card"><h3><a href="/x">${scribe.titles(1)[0] ?? ''}</a></h3><p>${scribe.sentence(scribe.between(8, 18))}</p></div>`;
  const cards = (count: number): string => Array.from({ length: count }, card).join('');

  const site = (
    kind: string,
    answer: (said: readonly [string, string, string], path: string) => readonly [title: string, body: string],
    { soft = true, menu = 8 } = {},
  ): void => {
    for (let nth = 0; nth < 6; nth++) {
      const language = languages[(sites.length * 5) % languages.length] ?? 'en';
      const aside = nth % 3 === 2 ? `<div class="side">${scribe.titles(10).join('<br>')}</div>` : '';
      const about = scribe.sentence(scribe.between(10, 60));
      const [name = ''] = scribe.titles(1);
      const entries = scribe.titles(menu);
      // Some sites have one title for all of their pages.
      const isBare = nth === 4;
      const said = messages[language] ?? ['', '', ''];
      // The menu, what the site says everywhere, and at a third of the sites a column beside all pages but articles.
      const around = (title: string, body: string, side = aside): string =>
        `<!doctype html><html lang="${language}"><title>${isBare ? name : `${title} – ${name}`}</title><body><div class="top">${entries.map((entry) => `<a href="/m">${entry}</a>`).join(' ')}</div><div class="body">${body}</div>${side}<div class="bottom">${about}</div></html>`;
      const prose = (words: number): string => `<p>${scribe.prose(words).join('</p><p>')}</p>`;
      const [head, text, advice] = said;
      const known: Record<KnownKind, (path: string) => string> = {
        article: () => {
          const [title = ''] = scribe.titles(1);
          const date = new Intl.DateTimeFormat(language, { dateStyle: 'long' }).format(
            scribe.between(1e11, 2e12),
          );
          return around(
            title,
            `<h1>${title}</h1><p>${date}</p>${prose(scribe.between(60, 600))}${cards(3)}`,
            '',
          );
        },
        short: () => around(scribe.titles(1)[0] ?? '', `<p>${scribe.sentence(scribe.between(8, 30))}</p>`),
        list: () => around(scribe.titles(1)[0] ?? '', `<h2>${scribe.pick(news)}</h2>${cards(8)}`),
        'help about 404': () =>
          around(
            `404 ${head}: ${scribe.titles(1)[0] ?? ''}`,
            `<h1>${scribe.titles(1)[0] ?? ''}: 404 ${head}</h1>${prose(scribe.between(50, 250))}<p>„${text}“</p>`,
          ),
        'an empty search': (path) =>
          around(path.slice(1), `<p>0 ${scribe.titles(1)[0] ?? ''}: ${head}</p>${prose(30)}`),
        'quotes the message': () =>
          around(
            scribe.titles(1)[0] ?? '',
            `${prose(40)}<blockquote>${text} ${advice}</blockquote>${prose(40)}`,
          ),
      };
      sites.push({
        ...{ kind, soft },
        known: (path, which) => known[which](path),
        unknown: (path) => {
          const [title, body] = answer(said, path);
          return soft ? around(title, body) : `<!doctype html><title>${name}</title><body>${body}`;
        },
      });
    }
  };

  site('the same for every path', ([title, text, advice]) => [
    title,
    `<h1>${title}</h1><p>${text} ${advice}</p>`,
  ]);
  site('under a long menu', ([title, text, advice]) => [title, `<h1>${title}</h1><p>${text} ${advice}</p>`], {
    menu: 150,
  });
  site('with what others read', ([title, text]) => [title, `<h1>${title}</h1><p>${text}</p>${cards(6)}`]);
  site(
    'with what others read, under a long menu',
    ([title, text]) => [title, `<h1>${title}</h1><p>${text}</p>${cards(6)}`],
    { menu: 150 },
  );
  site('under the title of the site, with what others read', ([title, text, advice]) => [
    '',
    `<h1>${title}</h1><p>${text} ${advice}</p>${cards(6)}`,
  ]);
  site('with products at random', ([title, text, advice]) => [
    title,
    `<h1>${title}</h1><p>${text} ${advice}</p><ul>${Array.from({ length: 12 }, () => `<li>${scribe.titles(1)[0] ?? ''} <b>${String(scribe.between(3, 90))},99 €</b></li>`).join('')}</ul>`,
  ]);
  site('with the path and the time', ([title, text, advice], path) => [
    `${path} – ${title}`,
    `<h1>${title}: ${path}</h1><p>${text} (${String(scribe.between(1e6, 9e8))}, ${new Date(scribe.between(1e11, 2e12)).toUTCString()}) ${advice}</p>`,
  ]);
  site('a search for the words of the path', ([title, text], path) => {
    const asked = path.split('/').at(-1)?.replaceAll('-', ' ') ?? '';
    return [`${title}: ${asked}`, `<h1>${asked}</h1><p>${text} "${asked}"</p>${cards(scribe.between(2, 6))}`];
  });
  site('with a joke of the day', ([title, text]) => [
    title,
    `<h1>404</h1><p>${text}</p><blockquote>${scribe.sentence(scribe.between(10, 40))}</blockquote>`,
  ]);
  site('in other words each time', ([title, text, advice]) => {
    const oops = scribe.pick(['Oops', 'Uh-oh', 'Hm', 'Lost?', 'Sorry']);
    return [oops, `<h1>${oops}! ${title}</h1><p>${scribe.pick([text, advice])}</p>${cards(2)}`];
  });
  site('few words and much by chance', ([title]) => [title, `<h1>${title}</h1>${cards(10)}`]);
  site('a title alone', ([title]) => [title, `<p>404</p>`]);
  site('gone from a shop', ([, , advice]) => ['Sold out', `<p>This item was sold. ${advice}</p>${cards(4)}`]);
  site('the home page with news', () => [
    'Home',
    `<h2>${news.slice(0, 9).join('</h2><h2>')}</h2>${cards(3)}`,
  ]);
  site('a shell for scripts', () => ['', '<div id="root">Loading</div><script src="/a.js"></script>'], {
    soft: false,
    menu: 0,
  });
  site(
    'a login',
    () => [
      'Login',
      '<form><h1>Login</h1><input name=user><input type=password name=pass><button>Login</button></form>',
    ],
    { soft: false, menu: 2 },
  );
  return sites;
}
