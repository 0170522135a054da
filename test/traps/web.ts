/**
 * A site with good pages and one trap of each kind. Pages are functions of their URL, so that a crawl and a simulation
 * see the same web, without end.
 */
import { createHash } from 'node:crypto';

/** Good pages of the site, each with a text of its own. */
export const goodPages = 60;

const syllables = 'ba ce di fo gu ka le mi no pu ra se ti vo zu'.split(' ');
/** A number in [0, n) that depends on the seed alone. */
const below = (n: number, ...seed: readonly (string | number)[]): number =>
  createHash('sha256').update(seed.join('|')).digest().readUInt32BE() % n;
/** A word of a vocabulary with so many. */
const wordAt = (index: number): string => {
  let [word, rest] = ['', index + syllables.length];
  for (; rest > 0; rest = Math.floor(rest / syllables.length))
    word += syllables[rest % syllables.length] ?? '';
  return word;
};
const babble = (words: number, vocabulary: number, ...seed: readonly (string | number)[]): string =>
  Array.from({ length: words }, (_, at) => wordAt(below(vocabulary, at, ...seed))).join(' ');
const token = (...seed: readonly (string | number)[]): string =>
  createHash('sha256').update(seed.join('|')).digest('hex').slice(0, 16);

const page = (title: string, text: string, links: readonly string[]): string =>
  `<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1><p>${text}</p><ul>${links
    .map((link) => `<li><a href="${link}">${link.length > 40 ? 'on' : 'more'}</a>`)
    .join('')}</ul><p><a href="/">home</a></html>`;

/** Such text as a template has on every page. */
const shopText = babble(40, 60, 'template');

interface TrapKind {
  /** Where it begins. */
  readonly entry: string;
  /** People do not see the link that leads in. */
  readonly isHidden?: true;
  readonly owns: (path: string) => boolean;
  readonly page: (path: string, nth: number) => string;
}

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '');

const products = Array.from({ length: 40 }, (_, at) => ({
  name: `${wordAt(4_000 + at * 3)} ${wordAt(5_000 + at * 7)}`,
  ...{ colour: at % 8, size: at % 6, brand: at % 5, cut: at % 4 },
}));

export const trapKinds: Readonly<Record<string, TrapKind>> = {
  calendar: {
    entry: '/calendar/2026/11',
    owns: (path) => path.startsWith('/calendar/'),
    page: (path) => {
      const [, year = '2026', month = '11'] = partsOf(path);
      const at = Number(year) * 12 + Number(month) - 1;
      const url = (n: number): string => `/calendar/${String(Math.floor(n / 12))}/${String((n % 12) + 1)}`;
      const days = Array.from({ length: 28 + (at % 4) }, (_, day) => String(day + 1)).join(' ');
      const names = 'January February March April May June July August September October November December';
      return page(
        `${names.split(' ')[at % 12] ?? ''} ${year}`,
        `Mon Tue Wed Thu Fri Sat Sun ${days} There are no events in this month.`,
        [url(at - 1), url(at + 1)],
      );
    },
  },
  archive: {
    entry: '/archive/2026/11/22/',
    owns: (path) => path.startsWith('/archive/'),
    page: (path) => {
      const [, year, month, day] = partsOf(path);
      const at = Date.UTC(Number(year), Number(month) - 1, Number(day));
      const url = (days: number): string => {
        const date = new Date(at + days * 86_400_000);
        return `/archive/${String(date.getUTCFullYear())}/${String(date.getUTCMonth() + 1)}/${String(date.getUTCDate())}/`;
      };
      return page(
        `Archive of ${String(day)}.${String(month)}.${String(year)}`,
        `Nothing was posted on day ${String(day)} of month ${String(month)}. Try another day of the archive, or search for it.`,
        [url(-1), url(1), url(7)],
      );
    },
  },
  pagination: {
    entry: '/list?page=1',
    owns: (path) => path.startsWith('/list?'),
    page: (path) => {
      const number = Number(path.split('=')[1]);
      return page(`Page ${String(number)}`, `${shopText} You are on page ${String(number)}.`, [
        `/list?page=${String(number + 1)}`,
        `/list?page=${String(number + 2)}`,
      ]);
    },
  },
  facets: {
    entry: '/shop?size=v0',
    owns: (path) => path.startsWith('/shop?'),
    page: (path) => {
      const given = new URLSearchParams(path.split('?')[1]);
      const facets = { colour: 8, size: 6, brand: 5, cut: 4 };
      const shown = products.filter((product) =>
        Object.keys(facets).every((name) => {
          const value = given.get(name);
          return value === null || product[name as keyof typeof facets] === Number(value.slice(1));
        }),
      );
      const links = Object.entries(facets).flatMap(([name, count]) =>
        Array.from({ length: count }, (_, value) => {
          const next = new URLSearchParams(given);
          next.set(name, `v${String(value)}`);
          return `/shop?${next.toString()}`;
        }),
      );
      return page('Shop', `${shopText} ${shown.map(({ name }) => name).join(', ')}`, links);
    },
  },
  orders: {
    entry: '/table?sort=a',
    owns: (path) => path.startsWith('/table?'),
    page: (path) => {
      const names = ['sort', 'order', 'view', 'rows', 'group', 'columns'];
      const links = names.flatMap((name) =>
        Array.from({ length: 5 }, (_, value) => {
          const next = new URLSearchParams(path.split('?')[1]);
          next.set(name, `x${'abcde'[value] ?? ''}`);
          return `/table?${next.toString()}`;
        }),
      );
      const rows = products.map(({ name }) => name).sort((a, b) => below(99, a, path) - below(99, b, path));
      return page('Table', rows.join(', '), links);
    },
  },
  'session-in-query': {
    entry: '/account/a0.html?visit=0123abcd4567ef89',
    owns: (path) => path.startsWith('/account/'),
    page: (path, nth) => {
      const name = /\/(a\d+)\.html/.exec(path)?.[1] ?? 'a0';
      const links = Array.from(
        { length: 8 },
        (_, at) => `/account/a${String(at)}.html?visit=${token('query', nth, at)}`,
      );
      return page(`Account ${name}`, babble(60, 500, 'account', name), links);
    },
  },
  'session-in-path': {
    entry: '/s/0123abcd4567ef89/b0.html',
    owns: (path) => path.startsWith('/s/'),
    page: (path, nth) => {
      const name = /\/(b\d+)\.html/.exec(path)?.[1] ?? 'b0';
      const links = Array.from({ length: 8 }, (_, at) => `/s/${token('path', nth)}/b${String(at)}.html`);
      return page(`Basket ${name}`, babble(60, 500, 'basket', name), links);
    },
  },
  'repeating-segments': {
    entry: '/photos/summer/',
    owns: (path) => path.startsWith('/photos/'),
    page: (path) =>
      page('Photos', `${shopText} You are here: ${String(partsOf(path).length)} levels down.`, [
        'summer/',
        'photos/',
      ]),
  },
  'relative-links': {
    entry: '/help/index/',
    owns: (path) => path.startsWith('/help/'),
    // The page says where it is, so that no two bodies are the same.
    page: (path) =>
      page('Help', `${shopText} <!-- ${path} -->`, ['contact/', 'about/us/']).replace('Help', path),
  },
  'endless-depth': {
    entry: '/deep/1/',
    owns: (path) => path.startsWith('/deep/'),
    page: (path) => {
      const level = partsOf(path).length;
      return page(
        `Level ${String(level)}`,
        `You are on level ${String(level)} now. Go down one level more.`,
        [`${path}${String(level)}/`],
      );
    },
  },
  maze: {
    entry: '/maze/begin',
    owns: (path) => path.startsWith('/maze/'),
    page: (path) =>
      page(
        babble(4, 800, 'title', path),
        babble(140, 800, 'text', path),
        Array.from(
          { length: 10 },
          (_, at) => `/maze/${token(path, at)}/${wordAt(9_000 + below(60_000, path, at))}`,
        ),
      ),
  },
  'maze-of-new-words': {
    entry: '/library/begin',
    owns: (path) => path.startsWith('/library/'),
    page: (path) =>
      page(
        babble(4, 2 ** 31, 'title', path),
        babble(160, 2 ** 31, 'text', path),
        Array.from(
          { length: 10 },
          (_, at) => `/library/${token(path, at)}/${wordAt(9_000 + below(60_000, path, at))}`,
        ),
      ),
  },
  'hidden-maze-of-prose': {
    entry: '/essays/begin',
    isHidden: true,
    owns: (path) => path.startsWith('/essays/'),
    // A tenth of the words are new, as in what people write.
    page: (path) =>
      page(
        babble(4, 800, 'title', path),
        `${babble(126, 800, 'text', path)} ${babble(14, 2 ** 31, 'new', path)}`,
        Array.from(
          { length: 10 },
          (_, at) => `/essays/${token(path, at)}/${wordAt(9_000 + below(60_000, path, at))}`,
        ),
      ),
  },
  'maze-of-prose': {
    entry: '/stories/1',
    owns: (path) => path.startsWith('/stories/'),
    // Under numbers, which name nothing; a tenth of the words are new, as in what people write.
    page: (path) =>
      page(
        babble(4, 800, 'title', path),
        `${babble(126, 800, 'text', path)} ${babble(14, 2 ** 31, 'new', path)}`,
        Array.from({ length: 8 }, (_, at) => `/stories/${String(below(2 ** 31, path, at))}`),
      ),
  },
  'facets-in-path': {
    entry: '/range/size/v0',
    owns: (path) => path.startsWith('/range/'),
    page: (path) => {
      const [, ...parts] = partsOf(path);
      const given = new Map(parts.flatMap((name, at) => (at % 2 === 0 ? [[name, parts[at + 1] ?? '']] : [])));
      const facets = { colour: 8, size: 6, brand: 5, cut: 4 };
      const shown = products.filter((product) =>
        [...given].every(([name, value]) => product[name as keyof typeof facets] === Number(value.slice(1))),
      );
      const links = Object.entries(facets).flatMap(([name, count]) =>
        Array.from({ length: count }, (_, value) => {
          const next = new Map([...given, [name, `v${String(value)}`]]);
          return `/range/${[...next].flat().join('/')}`;
        }),
      );
      return page('Range', `${shopText} ${shown.map(({ name }) => name).join(', ')}`, links);
    },
  },
  'calendar-by-time': {
    entry: '/planner?at=1795824000',
    owns: (path) => path.startsWith('/planner?'),
    page: (path) => {
      const at = Number(path.split('=')[1]);
      const date = new Date(at * 1_000);
      const [day, month] = ['weekday', 'month'].map((part) =>
        date.toLocaleString('en', { [part]: 'long', timeZone: 'UTC' }),
      );
      const on = `${day ?? ''} ${String(date.getUTCDate())} ${month ?? ''} ${String(date.getUTCFullYear())}`;
      return page(
        'Planner',
        `${on}. Nothing is planned. Made at ${String(below(24, path))}:${String(10 + below(50, path, 1))}:07 in 0.${String(below(999, path, 2))} seconds`,
        [at - 86_400, at + 86_400].map((other) => `/planner?at=${String(other)}`),
      );
    },
  },
  'own-text-again': {
    entry: '/echo/0',
    owns: (path) => path.startsWith('/echo/'),
    // Relative links from a page that is the same everywhere.
    page: () => page('Echo', `${shopText} It comes back.`, ['1/', '2/']),
  },
};

/** The page at a path; null: there is none. @param nth how many requests came before */
export function trapSitePage(path: string, nth: number): string | null {
  const good = /^\/good\/(\d+)\.html$/.exec(path)?.[1];
  if (path === '/') {
    const entries = (hidden: boolean): string[] =>
      Object.values(trapKinds).flatMap(({ entry, isHidden = false }) => (isHidden === hidden ? [entry] : []));
    const unseen = entries(true).map((entry) => `<a href="${entry}">more</a>`);
    return page('Home', babble(80, 3_000, 'home'), ['/good/0.html', ...entries(false)]).replace(
      '</html>',
      `<div style="display: none">${unseen.join('')}</div></html>`,
    );
  }
  if (good !== undefined) {
    const number = Number(good);
    if (number >= goodPages) return null;
    // Each knows its neighbours alone: the whole shape is met link by link, as in a calendar.
    const next = number + 1 < goodPages ? [`/good/${String(number + 1)}.html`] : [];
    return page(`Good ${good}`, babble(120, 30_000, 'good', number), next);
  }
  return (
    Object.values(trapKinds)
      .find(({ owns }) => owns(path))
      ?.page(path, nth) ?? null
  );
}

/** The kind of trap to which a path belongs; null: it is none. */
export const trapAt = (path: string): string | null =>
  Object.entries(trapKinds).find(([, { owns }]) => owns(path))?.[0] ?? null;
