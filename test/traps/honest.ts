/**
 * Honest sites that look like traps from outside: pages of one shape, with few words, with nothing but numbers or
 * pictures, in chains, in combinations. Pages are functions of their path, and each site knows how many it has.
 */
import { createHash } from 'node:crypto';

export interface HonestSite {
  readonly name: string;
  readonly start: string;
  /** Pages that a crawl from the start finds, each with something to say. */
  readonly pages: number;
  readonly at: (path: string) => string | null;
}

/** A number in [0, n) that depends on the seed alone. */
function pick(n: number, ...seed: readonly (string | number)[]): number {
  let hash = 0x811c9dc5;
  for (const char of seed.join('|')) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return ((hash ^ (hash >>> 13)) >>> 0) % n;
}
const syllables = 'ba ce di fo gu ka le mi no pu ra se ti vo zu be ci do fu ga'.split(' ');
/** A word of a vocabulary without end. */
function wordAt(index: number): string {
  let [word, rest] = ['', index + syllables.length];
  for (; rest > 0; rest = Math.floor(rest / syllables.length))
    word += syllables[rest % syllables.length] ?? '';
  return word;
}
/** Words of a vocabulary of which a few come often, as in any language. */
const prose = (words: number, vocabulary: number, ...seed: readonly (string | number)[]): string =>
  Array.from({ length: words }, (_, at) => {
    const share = (1 + pick(1_000, at, ...seed)) / 1_000;
    return wordAt(Math.floor(vocabulary * share ** 3));
  }).join(' ');
const sha = (...seed: readonly (string | number)[]): string =>
  createHash('sha1').update(seed.join('|')).digest('hex');

const html = (title: string, text: string, links: readonly string[] = []): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><h1>${title}</h1><div>${text}</div><ul>${links
    .map((link) => `<li><a href="${link}">${/[^/?=]*$/.exec(link)?.[0] ?? ''}</a></li>`)
    .join('')}</ul></body></html>`;
const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
const table = (rows: readonly (readonly (string | number)[])[]): string =>
  `<table>${rows.map((row) => `<tr>${row.map((cell) => `<td>${String(cell)}</td>`).join('')}</tr>`).join('')}</table>`;
/** Those of the links that lie within [0, count). */
const around = (at: number, count: number, link: (at: number) => string): string[] =>
  [at - 1, at + 1].filter((other) => other >= 0 && other < count).map(link);
const day = (at: number): string =>
  new Date(Date.UTC(2023, 0, 1) + at * 86_400_000).toISOString().slice(0, 10);
const dayAt = (text: string): number => Math.round((Date.parse(text) - Date.UTC(2023, 0, 1)) / 86_400_000);
const decimal = (most: number, ...seed: readonly (string | number)[]): string =>
  (pick(most * 10, ...seed) / 10).toFixed(1);
const asked = (path: string): URLSearchParams =>
  new URLSearchParams(path.split('?')[1]?.replaceAll(';', '&'));
const inside = (at: number, count: number): boolean => Number.isInteger(at) && at >= 0 && at < count;

/** A chain of numbered pages, each of which names its neighbours. */
const chain = (
  name: string,
  pages: number,
  link: (at: number) => string,
  numberOf: (path: string) => number,
  page: (at: number) => readonly [title: string, text: string],
): HonestSite => ({
  ...{ name, pages, start: link(0) },
  at: (path) => {
    const at = numberOf(path);
    return inside(at, pages) ? html(...page(at), around(at, pages, link)) : null;
  },
});

/** An index in parts, and a page for each entry. */
const indexed = (
  name: string,
  entries: number,
  link: (at: number) => string,
  numberOf: (path: string) => number,
  page: (at: number) => readonly [title: string, text: string, links?: readonly string[]],
): HonestSite => {
  const parts = Math.ceil(entries / 100);
  return {
    ...{ name, start: '/', pages: entries + parts + 1 },
    at: (path) => {
      if (path === '/')
        return html(
          name,
          'All parts',
          range(parts).map((part) => `/index/${String(part)}`),
        );
      const part = /^\/index\/(\d+)$/.exec(path)?.[1];
      if (part !== undefined) {
        const first = Number(part) * 100;
        return html(
          `${name}, part ${part}`,
          '',
          range(Math.min(100, entries - first)).map((at) => link(first + at)),
        );
      }
      const at = numberOf(path);
      return inside(at, entries) ? html(...page(at)) : null;
    },
  };
};

const last = (path: string): number => Number(/(\d+)(?:\.html|\/)?$/.exec(path)?.[1] ?? NaN);

const packages = 1_225;
const packageName = (at: number): string =>
  `${wordAt(at * 7 + 3)}${at % 5 === 0 ? String(at % 9) : ''}-${wordAt(at)}`;
const packageNames = new Map(range(packages).map((at) => [packageName(at), at]));
/** The same corpus under other addresses. */
const packagesBy = (how: string, link: (name: string) => string, read: RegExp): HonestSite =>
  indexed(
    `packages by ${how}`,
    packages,
    (at) => link(packageName(at)),
    (path) => packageNames.get(read.exec(path)?.[1] ?? '') ?? NaN,
    (at) => [
      packageName(at),
      `Version ${String(pick(9, at))}.${String(pick(20, at, 1))} ${prose(12, 900, 'package', at)}`,
      range(3).map((other) => link(packageName(pick(packages, at, other)))),
    ],
  );

const commits = 500;
const commitAt = new Map(range(commits).map((at) => [sha('commit', at), at]));
/** A repository under other addresses: log, commit, tree and difference of each commit. */
const repositoryBy = (
  how: string,
  link: (action: string, commit: string) => string,
  read: (path: string) => { readonly action: string; readonly commit: string },
): HonestSite => ({
  ...{ name: `repository by ${how}`, pages: commits * 3, start: link('commit', sha('commit', 0)) },
  at: (path) => {
    const { action, commit } = read(path);
    const at = commitAt.get(commit);
    if (at === undefined) return null;
    const text =
      action === 'commit'
        ? `commit ${commit} ${prose(15, 2_000, 'message', at)}`
        : action === 'tree'
          ? table(
              range(20).map((file) => [`${wordAt(file)}.c`, pick(90_000, file, Math.floor(at / (file + 1)))]),
            )
          : prose(60, 6_000, 'difference', at);
    const links = ['tree', 'diff'].map((other) => link(other, commit));
    return html(`${action} of a commit`, text, [
      ...links,
      link('commit', commit),
      ...around(at, commits, (other) => link('commit', sha('commit', other))),
    ]);
  },
});

export const honestSites: readonly HonestSite[] = [
  chain(
    'weather by day',
    731,
    (at) => `/weather/${day(at).replaceAll('-', '/')}`,
    (path) => dayAt(path.slice(9).replaceAll('/', '-')),
    (at) => [
      `Weather on ${day(at)}`,
      `Lowest ${decimal(15, at)} highest ${decimal(30, at, 1)} wind ${String(pick(60, at, 2))} rain ${decimal(9, at, 3)} pressure ${String(980 + pick(60, at, 4))} humidity ${String(pick(100, at, 5))}`,
    ],
  ),
  chain(
    'exchange rates by date',
    1_501,
    (at) => `/rates?date=${day(at)}`,
    (path) => dayAt(asked(path).get('date') ?? ''),
    (at) => [
      'Rates of the day',
      table(
        range(6).map((currency) => [wordAt(currency), (1 + pick(9_999, at, currency) / 10_000).toFixed(4)]),
      ),
    ],
  ),
  indexed(
    'timetables of stops',
    601,
    (at) => `/stop?line=${String(at % 30)}&stop=${String(at)}`,
    last,
    (at) => [
      `Stop ${String(at)}`,
      range(18)
        .map((hour) => `${String(hour + 5).padStart(2, '0')}:${String(pick(60, at, hour)).padStart(2, '0')}`)
        .join(' '),
      [`/stop?line=${String(((at + 1) % 601) % 30)}&stop=${String((at + 1) % 601)}`],
    ],
  ),
  {
    ...{ name: 'timetables from place to place', start: '/from', pages: 1 + 40 + 40 * 39 },
    at: (path) => {
      const given = asked(path);
      const [from, to] = [given.get('from'), given.get('to')];
      const places = range(40).map((at) => wordAt(300 + at));
      if (path === '/from')
        return html(
          'From',
          '',
          places.map((place) => `/table?from=${place}`),
        );
      if (from === null) return null;
      if (to === null)
        return html(
          `From ${from}`,
          '',
          places.filter((place) => place !== from).map((place) => `/table?from=${from}&to=${place}`),
        );
      return html(
        `From ${from} to ${to}`,
        range(12)
          .map((at) => `${String(at + 6)}:${String(10 + pick(50, from, to, at))}`)
          .join(' '),
      );
    },
  },
  chain(
    'log viewer',
    540,
    (at) => `/log?file=system&offset=${String(at * 50)}`,
    (path) => Number(asked(path).get('offset')) / 50,
    (at) => [
      'system.log',
      range(20)
        .map(
          (line) =>
            `12:${String(10 + pick(50, at, line))}:07 unit${String(pick(9, at, line))} started job ${String(pick(99_999, at, line, 1))}`,
        )
        .join('<br>'),
    ],
  ),
  {
    ...{ name: 'forum with paging', start: '/forum?f=1', pages: 20 + 160 * 3 },
    at: (path) => {
      const given = asked(path);
      const [forum, topic, from] = [
        Number(given.get('f')),
        Number(given.get('t')),
        Number(given.get('start')),
      ];
      if (path.startsWith('/forum')) {
        const page = from / 20;
        return html('Topics', '', [
          ...range(8).map(
            (at) => `/topic?f=${String(forum)}&t=${String((forum - 1) * 160 + page * 8 + at + 1)}`,
          ),
          ...(page < 19 ? [`/forum?f=${String(forum)}&start=${String(from + 20)}`] : []),
        ]);
      }
      return html(
        `Topic ${String(topic)}`,
        range(6)
          .map((post) => `User${String(pick(40, topic, post))} wrote ${prose(18, 1_500, topic, from, post)}`)
          .join('<hr>'),
        from < 40 ? [`/topic?f=${String(forum)}&t=${String(topic)}&start=${String(from + 20)}`] : [],
      );
    },
  },
  {
    ...{ name: 'wiki with versions', start: '/index.php?title=W0', pages: 120 * 12 },
    at: (path) => {
      const given = asked(path);
      const title = Number(given.get('title')?.slice(1));
      const old = given.get('oldid');
      const of = `/index.php?title=W${String(title)}`;
      if (given.get('action') === 'history')
        return html(
          `History of W${String(title)}`,
          '',
          range(10).map((at) => `${of}&oldid=${String(title * 10 + at + 5_000)}`),
        );
      const version = old === null ? 9 : Number(old) - title * 10 - 5_000;
      const changed = range(6)
        .map((at) => prose(20, 3_000, title, at, version >= at ? at : 0))
        .join(' ');
      const links = range(4).map((at) => `/index.php?title=W${String((title * 3 + at + 1) % 120)}`);
      return html(`W${String(title)}`, `${changed} change ${String(version)}`, [
        `${of}&action=history`,
        ...links,
      ]);
    },
  },
  indexed(
    'plain site',
    60,
    (at) => `/${wordAt(at)}.html`,
    (path) => range(60).findIndex((at) => `/${wordAt(at)}.html` === path),
    (at) => [wordAt(at), prose(20, 60, 'plain', at)],
  ),
  indexed(
    'shop by number',
    5_210,
    (at) => `/shop.php?id=${String(at)}`,
    last,
    (at) => [
      `${wordAt(pick(300, at))} ${wordAt(pick(400, at, 1) + 300)}`,
      `Article ${String(at)} costs ${String(pick(900, at, 2))}.${String(10 + pick(90, at, 3))} and is ${wordAt(pick(8, at, 4))}`,
      range(4).map((other) => `/shop.php?id=${String(pick(5_210, at, other))}`),
    ],
  ),
  packagesBy('path', (name) => `/package/${name}`, /^\/package\/(.+)$/),
  packagesBy('query', (name) => `/package.php?name=${name}`, /\?name=(.+)$/),
  packagesBy('query with semicolons', (name) => `/package.cgi?a=show;name=${name}`, /;name=(.+)$/),
  repositoryBy(
    'query',
    (action, commit) => `/?p=tool.git;a=${action};h=${commit}`,
    (path) => {
      const given = asked(path);
      return { action: given.get('a') ?? '', commit: given.get('h') ?? '' };
    },
  ),
  repositoryBy(
    'path',
    (action, commit) => `/tool.git/${action}/?id=${commit}`,
    (path) => ({
      action: path.split('/')[2] ?? '',
      commit: asked(path).get('id') ?? '',
    }),
  ),
  indexed(
    'catalogue with few words',
    1_440,
    (at) => `/item/${String(at)}`,
    last,
    (at) => [
      `${wordAt(at % 8)} ${wordAt(20 + (Math.floor(at / 8) % 6))}`,
      `${wordAt(40 + (Math.floor(at / 48) % 5))} ${wordAt(60 + (Math.floor(at / 240) % 6))}`,
      [`/item/${String((at + 1) % 1_440)}`, `/item/${String((at + 7) % 1_440)}`],
    ],
  ),
  indexed(
    'dictionary',
    3_000,
    (at) => `/word/${wordAt(at)}`,
    (path) => range(3_000).findIndex((at) => path === `/word/${wordAt(at)}`),
    (at) => [
      wordAt(at),
      `noun ${prose(6, 400, 'meaning', at)}`,
      range(5).map((other) => `/word/${wordAt(pick(3_000, at, other))}`),
    ],
  ),
  chain(
    'chess table',
    1_300,
    (at) => `/position/${String(at)}`,
    last,
    (at) => [
      `Position ${String(at)}`,
      `${range(16)
        .map(
          (piece) =>
            `${'KQRBNP'[piece % 6] ?? ''}${'abcdefgh'[pick(8, at, piece)] ?? ''}${String(1 + pick(8, at, piece, 1))}`,
        )
        .join(' ')} mate in ${String(pick(40, at))}`,
    ],
  ),
  chain(
    'gene table',
    1_200,
    (at) => `/gene?id=ENSG${String(10_000_000 + at)}`,
    (path) => Number(asked(path).get('id')?.slice(4)) - 10_000_000,
    (at) => [
      `ENSG${String(10_000_000 + at)}`,
      table([
        ['length', pick(90_000, at)],
        ['exons', pick(30, at, 1)],
        ['start', pick(9_000_000, at, 2)],
        ['end', pick(9_000_000, at, 3)],
        ['strand', pick(2, at, 4)],
      ]),
    ],
  ),
  chain(
    'parish register',
    1_100,
    (at) => `/register/${String(1_600 + Math.floor(at / 4))}/${String(at % 4)}`,
    (path) => (Number(path.split('/')[2]) - 1_600) * 4 + Number(path.split('/')[3]),
    (at) => [
      'Register',
      range(5)
        .map(
          (row) =>
            `${wordAt(pick(40, at, row))} son of ${wordAt(pick(60, at, row, 1) + 40)} and ${wordAt(pick(40, at, row, 2) + 100)}`,
        )
        .join('<br>'),
    ],
  ),
  chain(
    'photos with two words',
    1_500,
    (at) => `/photo/${String(at)}`,
    last,
    (at) => [
      `${wordAt(pick(12, at))} ${wordAt(20 + pick(12, at, 1))}`,
      `<img src="/media/${sha('photo', at).slice(0, 20)}.jpg">`,
    ],
  ),
  indexed(
    'code browser',
    1_400,
    (at) => `/src/${wordAt(at % 20)}/${wordAt(at % 70)}/${wordAt(at)}.c`,
    (path) => range(1_400).findIndex((at) => path.endsWith(`/${wordAt(at)}.c`)),
    (at) => [
      `${wordAt(at)}.c`,
      range(10)
        .map(
          (line) =>
            `int ${wordAt(pick(60, at, line))} = ${wordAt(pick(60, at, line, 1))} ( ${String(pick(20, at, line, 2))} ) ;`,
        )
        .join('<br>'),
    ],
  ),
  indexed(
    'API reference',
    1_200,
    (at) => `/api/${wordAt(at % 40)}.${wordAt(500 + at)}.html`,
    (path) => range(1_200).findIndex((at) => path.endsWith(`.${wordAt(500 + at)}.html`)),
    (at) => [
      `${wordAt(at % 40)}.${wordAt(500 + at)}`,
      `Returns ${wordAt(pick(30, at))} Parameters ${wordAt(pick(30, at, 1))} ${wordAt(pick(30, at, 2))} Throws ${wordAt(pick(10, at, 3))}`,
      range(4).map(
        (other) => `/api/${wordAt(pick(1_200, at, other) % 40)}.${wordAt(500 + pick(1_200, at, other))}.html`,
      ),
    ],
  ),
  chain(
    'changelog',
    320,
    (at) => `/changes/${String(Math.floor(at / 20))}.${String(at % 20)}.html`,
    (path) => {
      const [, major, minor] = /(\d+)\.(\d+)\.html/.exec(path) ?? [];
      return Number(major) * 20 + Number(minor);
    },
    (at) => [
      `Version ${String(Math.floor(at / 20))}.${String(at % 20)}`,
      range(4)
        .map((line) => `Fixed ${wordAt(pick(50, at, line))} in ${wordAt(pick(30, at, line, 1))}`)
        .join('<br>'),
    ],
  ),
  chain(
    'paged search of a library',
    800,
    (at) => `/search?page=${String(at)}&q=sea&sort=year`,
    (path) => Number(asked(path).get('page')),
    (at) => [
      'Books',
      range(10)
        .map(
          (row) =>
            `${wordAt(pick(200, at, row))} ${wordAt(pick(200, at, row, 1))}, ${String(1_800 + pick(220, at, row, 2))}`,
        )
        .join('<br>'),
    ],
  ),
  {
    ...{ name: 'five languages', start: '/en/p/0', pages: 5 * 250 },
    at: (path) => {
      const [, language = '', , number] = path.split('/');
      const [at, of] = [Number(number), ['en', 'de', 'fr', 'es', 'it'].indexOf(language)];
      if (!inside(at, 250) || of < 0) return null;
      const links = ['en', 'de', 'fr', 'es', 'it'].map((other) => `/${other}/p/${String(at)}`);
      return html(
        `${language} ${String(at)}`,
        range(25)
          .map((word) => wordAt(of * 400 + pick(400, at, word)))
          .join(' '),
        [...links, ...around(at, 250, (other) => `/${language}/p/${String(other)}`)],
      );
    },
  },
  chain(
    'calendar with events',
    240,
    (at) => `/events/${String(2_010 + Math.floor(at / 12))}/${String((at % 12) + 1)}`,
    (path) => (Number(path.split('/')[2]) - 2_010) * 12 + Number(path.split('/')[3]) - 1,
    (at) => [
      `Month ${String((at % 12) + 1)} of ${String(2_010 + Math.floor(at / 12))}`,
      `Mon Tue Wed Thu Fri Sat Sun ${range(30)
        .map((d) => String(d + 1))
        .join(' ')} ${pick(3, at) === 0 ? '' : prose(6, 200, 'event', at)}`,
    ],
  ),
  indexed(
    'elections',
    1_100,
    (at) => `/result/district-${String(at)}.html`,
    last,
    (at) => [
      `District ${String(at)}`,
      table(
        range(5).map((party) => [wordAt(party), pick(20_000, at, party), `${decimal(60, at, party, 1)} %`]),
      ),
      [`/result/district-${String((at + 1) % 1_100)}.html`],
    ],
  ),
  chain(
    'newspaper of scans',
    2_400,
    (at) => `/paper/1874/${String(Math.floor(at / 8))}/${String(at % 8)}`,
    (path) => Number(path.split('/')[3]) * 8 + Number(path.split('/')[4]),
    (at) => [
      `Page ${String(at % 8)}`,
      `<img src="/scan/1874-${String(at)}.png"> <a href="/files/1874-${String(at)}.pdf">PDF</a>`,
    ],
  ),
  {
    ...{ name: 'news by year, month and day', start: '/2019/1/1/', pages: 1_095 * 4 },
    at: (path) => {
      const [, year, month, date, slug] = path.split('/');
      const at = Math.round(
        (Date.UTC(Number(year), Number(month) - 1, Number(date)) - Date.UTC(2019, 0, 1)) / 86_400_000,
      );
      if (!inside(at, 1_095)) return null;
      const folder = (other: number): string => {
        const when = new Date(Date.UTC(2019, 0, 1 + other));
        return `/${String(when.getUTCFullYear())}/${String(when.getUTCMonth() + 1)}/${String(when.getUTCDate())}/`;
      };
      if (slug === undefined || slug === '')
        return html('Of the day', '', [
          ...range(3).map((n) => `${folder(at)}${wordAt(at * 3 + n)}.html`),
          ...[1, 7, 30].map((n) => folder(at + n)),
        ]);
      return html(slug.replace('.html', ''), prose(80, 8_000, slug));
    },
  },
  {
    ...{ name: 'manual in six versions', start: '/', pages: 1 + 6 * 300 },
    at: (path) => {
      if (path === '/')
        return html(
          'Versions',
          '',
          range(6).map((v) => `/v${String(v)}/0.html`),
        );
      const [, version, number] = /^\/v(\d)\/(\d+)\.html$/.exec(path) ?? [];
      const at = Number(number);
      if (version === undefined || !inside(at, 300)) return null;
      return html(`Manual ${version}`, prose(120, 4_000, 'manual', at, pick(3, at) === 0 ? version : ''), [
        ...range(6).map((n) => `/v${version}/${String((at * 6 + n + 1) % 300)}.html`),
      ]);
    },
  },
  {
    ...{ name: 'films under tokens', start: `/watch?v=${sha('film', 0).slice(0, 11)}`, pages: 4_000 },
    at: (path) => {
      const at = films.get(asked(path).get('v') ?? '');
      if (at === undefined) return null;
      return html(
        prose(5, 5_000, 'film', at),
        prose(30, 5_000, 'about', at),
        [at + 1, ...range(9).map((n) => pick(4_000, at, n))].map(
          (n) => `/watch?v=${sha('film', n % 4_000).slice(0, 11)}`,
        ),
      );
    },
  },
  {
    ...{ name: 'site whose pages share few words', start: '/0', pages: 2_200 },
    at: (path) => {
      const at = Number(path.slice(1));
      if (!inside(at, 2_200)) return null;
      return html(
        wordAt(at * 90),
        range(60)
          .map((n) => wordAt(at * 90 + n))
          .join(' '),
        [at + 1, ...range(5).map((n) => pick(2_200, at, n))].map((n) => `/${String(n % 2_200)}`),
      );
    },
  },
];
const films = new Map(range(4_000).map((at) => [sha('film', at).slice(0, 11), at]));

/** Blogs at names of their own below one domain: each has its posts, and names some others. */
export const hostedBlogs = {
  domain: 'hosted.example',
  blogs: 150,
  posts: 16,
  at: (blog: number, post: number): string => {
    const others = range(5).map((nth) => pick(150, 'blogroll', blog, nth));
    const links = [
      ...range(16).map((nth) => `/${String(nth)}`),
      ...others.map((other) => `http://b${String(other)}.hosted.example/0`),
    ];
    const text = prose(60 + pick(240, 'length', blog, post), 3_000, 'blog', blog, post);
    return html(`${wordAt(900 + blog)}: ${prose(4, 3_000, 'post', blog, post)}`, text, links);
  },
};
