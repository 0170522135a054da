/** Kinds of servers, by how they answer paths that they know and paths that they do not. */
import { seeded } from '../../bench/content/alike-set.ts';

export interface ServerAnswer {
  readonly status: number;
  readonly redirectTo?: string;
  readonly title?: string;
  readonly text?: string;
}

export interface KindOfServer {
  readonly name: string;
  /** Whether it answers unknown paths as if they were pages. */
  readonly soft: boolean;
  readonly known: (path: string) => ServerAnswer;
  readonly unknown: (path: string) => ServerAnswer;
}

const random = seeded(11);
const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
const stems =
  'river garden market window letter summer bridge silver morning paper winter village engine mirror captain forest island pocket ribbon kitchen harbour station teacher orchard chimney planet carpet button candle saddle meadow pepper canyon anchor basket copper dragon falcon glacier hammer jacket kettle lantern magnet needle'.split(
    ' ',
  );
const sentence = (length: number): string =>
  Array.from({ length }, () => pick(stems) + pick(['', 's', 'ed', 'ing', 'ly'])).join(' ');
const menu =
  'home products about us contact imprint privacy terms of use newsletter follow us on social media';
const longMenu = `${menu} ${sentence(120)}`;

const article =
  (chrome = menu, words = 150) =>
  (path: string): ServerAnswer => ({
    status: 200,
    title: `${sentence(3)} | Example`,
    text: `${chrome} ${path.split('/').at(-1) ?? ''} ${sentence(words)} ${chrome}`,
  });
const page = (title: string, text: string, chrome = menu): ServerAnswer => ({
  ...{ status: 200, title, text: `${chrome} ${text} ${chrome}` },
});
const same =
  (title: string, text: string, chrome = menu) =>
  (): ServerAnswer =>
    page(title, text, chrome);
const known = article();
const home = page('Example', sentence(120));

const soft = (
  name: string,
  unknown: KindOfServer['unknown'],
  of: KindOfServer['known'] = known,
): KindOfServer => ({ name, soft: true, known: of, unknown });
const honest = (
  name: string,
  unknown: KindOfServer['unknown'],
  of: KindOfServer['known'] = known,
): KindOfServer => ({ name, soft: false, known: of, unknown });

const messages: readonly (readonly [string, string, string])[] = [
  ['English', 'Page not found', 'Sorry, we could not find the page you were looking for. Try our search.'],
  ['German', 'Seite nicht gefunden', 'Die gewünschte Seite wurde leider nicht gefunden. Zur Startseite.'],
  ['French', 'Page introuvable', 'La page que vous cherchez est introuvable ou a été déplacée.'],
  ['Russian', 'Страница не найдена', 'К сожалению, запрошенная страница не найдена или была удалена.'],
  [
    'Japanese',
    'ページが見つかりません',
    'お探しのページは見つかりませんでした。トップページへお戻りください。',
  ],
  ['Spanish', 'Página no encontrada', 'Lo sentimos, la página que busca no existe o se ha movido.'],
  ['Chinese', '页面不存在', '抱歉,您访问的页面找不到了,请返回首页。'],
];

export const servers: readonly KindOfServer[] = [
  // Honest ones.
  honest('404 with a text', () => ({ ...page('Not found', 'This page was not found.'), status: 404 })),
  honest('404 without a body', () => ({ status: 404, text: '' })),
  honest('410', () => ({ status: 410, text: 'gone' })),
  honest('500 for what it does not know', () => ({ status: 500, text: 'error' })),
  honest('403 for what it does not know', () => ({ status: 403, text: 'forbidden' })),
  honest(
    'one shell for every path',
    same('App', 'loading please enable scripts'),
    same('App', 'loading please enable scripts'),
  ),
  honest(
    'a login page for every path',
    same('Log in', 'please log in to see this page'),
    same('Log in', 'please log in to see this page'),
  ),
  honest('a redirect to the login', () => ({ status: 302, redirectTo: 'https://a.example/login?next=' })),
  honest('a redirect that adds a slash', (path) => ({
    status: 301,
    redirectTo: `https://a.example${path}/`,
  })),
  honest('a redirect to a language', (path) => ({ status: 302, redirectTo: `https://a.example/en${path}` })),
  honest('an image for every path', () => ({ status: 200 })),
  honest('429 for what it does not know', () => ({ status: 429, text: 'slow down' })),

  // A constant error page with status 200.
  ...messages.map(([language, title, text]) => soft(`an error page in ${language}`, same(title, text))),
  soft('an error page of few words', () => ({ status: 200, title: 'Error', text: 'Nothing here' })),
  soft('an error page without a title', () => ({ status: 200, text: 'The requested page does not exist' })),
  soft('an error page without menu', () =>
    page('Oops', 'Something went wrong on our side, please go back.', ''),
  ),
  soft(
    'an error page with a very long menu',
    same('Oops', 'We are sorry but this is not here any more', longMenu),
    article(longMenu, 60),
  ),
  soft('an error page that repeats the path', (path) =>
    page('Not found', `The page ${path} was not found on this server.`),
  ),
  soft('an error page with the path in its title', (path) =>
    page(`${path} not found`, 'Please check the address and try again.'),
  ),
  soft('an error page with a number and a time', () =>
    page(
      'Error 404',
      `Request ${String(Math.floor(random() * 1e9))} failed at ${String(Math.floor(random() * 1e9))}: nothing here.`,
    ),
  ),
  soft('an error page that shows what others read', () =>
    page('Page not found', `We could not find this page. Others read: ${sentence(12)}`),
  ),
  soft('an error page with a random quotation', () =>
    page('404', `This page does not exist. Quotation of the day: ${sentence(15)}`),
  ),
  soft('the home page', () => home),
  soft('the home page with changing news', () =>
    page('Example', `${home.text ?? ''} latest: ${sentence(10)}`),
  ),
  soft('an empty search', (path) =>
    page(
      'Search',
      `Your search for ${path.replaceAll(/[/-]/g, ' ')} gave no results. Please try other words.`,
    ),
  ),
  soft(
    'a parked page',
    same('example.com is for sale', 'Buy this domain. Related links: insurance, loans, travel, hotels.', ''),
    article('', 100),
  ),
  soft(
    'an out of stock page',
    same('Product unavailable', 'This product is not available at the moment. See similar products below.'),
    article(menu, 40),
  ),
  soft(
    'an expired advertisement',
    same('Expired', 'This advertisement has expired and was removed by its owner.'),
    article(menu, 60),
  ),
  soft('a list without entries', same('Archive', 'There are no posts to show in this category.')),
  soft(
    'a shop with short pages',
    same('Oops! Nothing to see', 'We looked everywhere and it is not here'),
    article(menu, 25),
  ),
  soft(
    'an error page in an almost empty layout',
    () => ({ status: 200, title: 'Missing', text: 'Missing document' }),
    article('', 30),
  ),
  soft(
    'a forum that says that a topic is gone',
    same('Information', 'The requested topic does not exist. Board index. All times are UTC.'),
  ),

  // Redirects.
  soft('a redirect to the home page', () => ({ status: 302, redirectTo: 'https://a.example/' })),
  soft('a permanent redirect to the home page', () => ({ status: 301, redirectTo: 'https://a.example/' })),
  soft('a redirect to an error page', () => ({
    status: 302,
    redirectTo: 'https://a.example/error/not-found.html',
  })),
  soft('a redirect to the folder', () => ({ status: 301, redirectTo: 'https://a.example/articles' })),
  soft('a redirect to the search', () => ({ status: 302, redirectTo: 'https://a.example/search' })),
];
