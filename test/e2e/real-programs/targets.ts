/**
 * Programs that nobody here wrote, each over something small whose useful pages are worked out from the program itself:
 * the commits of a repository, the files of a folder, the articles of a wiki, the issues of a tracker.
 */
import { chownSync, cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { CrawlSettings } from '../../../contracts/http/crawl-settings.ts';
import { roundup } from '../../programs/web-programs.ts';
import { isOnPath, makeFolder, run, serve, serveCgi, type Served } from './served.ts';

export interface Target {
  readonly name: string;
  readonly isHere: () => boolean;
  readonly start: () => Promise<Running>;
}

export interface Running extends Served {
  readonly seeds: readonly string[];
  readonly settings?: CrawlSettings;
  /** Names of the pages that a reader wants. */
  readonly useful: readonly string[];
  /** The useful page that a URL shows; null: none. */
  readonly shows: (url: URL) => string | null;
  /** What must hold besides once the crawl is over. */
  readonly after?: () => Promise<void>;
}

const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

/** A bare repository with a commit for each number, each of which changes two files. Answers the hashes. */
function makeRepository(folder: string, commits: number): string[] {
  const work = path.join(folder, 'work');
  mkdirSync(path.join(work, 'src'), { recursive: true });
  const git = (...args: string[]): string =>
    run('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', ...args], { cwd: work });
  git('init', '-q', '-b', 'main');
  for (const at of range(commits)) {
    writeFileSync(path.join(work, 'README'), `State ${String(at)} of the notes on gardens.\n`);
    writeFileSync(
      path.join(work, 'src', 'notes.txt'),
      `Bed ${String(at)} has beans and ${'x'.repeat(at)}.\n`,
    );
    git('add', '-A');
    git('commit', '-q', '-m', `Bed ${String(at)} is dug`, '--date', `2024-01-${String(at)}T10:00:00Z`);
  }
  run('git', ['clone', '-q', '--bare', work, path.join(folder, 'repositories', 'garden.git')]);
  return git('rev-list', 'main').trim().split('\n');
}

const gitweb: Target = {
  name: 'gitweb',
  isHere: () => existsSync('/usr/share/gitweb/gitweb.cgi') && isOnPath('perl'),
  start: async () => {
    const folder = makeFolder();
    const useful = makeRepository(folder, 4);
    const config = path.join(folder, 'gitweb.conf');
    writeFileSync(
      config,
      `our $projectroot = "${folder}/repositories";\nour $base_url = "/";\nour $my_uri = "/";\n`,
    );
    // Its pages ask robots not to follow their links, and no setting of it takes that back.
    const served = await serveCgi(folder, '/usr/share/gitweb/gitweb.cgi', { GITWEB_CONFIG: config }, (page) =>
      page.replace('content="index, nofollow"', 'content="index, follow"'),
    );
    return {
      ...served,
      useful,
      seeds: [`${served.origin}/?p=garden.git;a=summary`],
      shows: ({ search }) => /[?;]a=commit;h=([\da-f]{40})$/.exec(search)?.[1] ?? null,
    };
  },
};

const cgit: Target = {
  name: 'cgit',
  isHere: () => existsSync('/usr/lib/cgit/cgit.cgi'),
  start: async () => {
    const folder = makeFolder();
    const useful = makeRepository(folder, 8);
    const config = path.join(folder, 'cgitrc');
    // By default its pages ask robots not to follow their links.
    const lines = [
      'virtual-root=/',
      'cache-size=0',
      'robots=index, follow',
      `scan-path=${folder}/repositories`,
    ];
    writeFileSync(config, `${lines.join('\n')}\n`);
    const served = await serveCgi(folder, '/usr/lib/cgit/cgit.cgi', { CGIT_CONFIG: config });
    return {
      ...served,
      useful,
      seeds: [`${served.origin}/garden.git/`],
      shows: ({ pathname, searchParams }) =>
        pathname === '/garden.git/commit/' ? (searchParams.get('id') ?? null) : null,
    };
  },
};

const mediawiki: Target = {
  name: 'MediaWiki',
  isHere: () => existsSync('/usr/share/mediawiki/maintenance/install.php') && isOnPath('php'),
  start: async () => {
    const folder = makeFolder();
    const root = '/usr/share/mediawiki';
    const useful = range(12).map((at) => `Bird_${String(at)}`);
    const texts = path.join(folder, 'texts');
    mkdirSync(texts);
    for (const [at, name] of useful.entries()) {
      const next = useful[(at + 1) % useful.length] ?? '';
      writeFileSync(
        path.join(texts, `${name}.txt`),
        `Number ${String(at)} sings. After it comes [[${next}]].\n`,
      );
    }
    const settings = path.join(folder, 'LocalSettings.php');
    const served = await serve(folder, (port) => {
      const origin = `http://127.0.0.1:${String(port)}`;
      const php = (script: string, ...args: string[]): string =>
        run('php', [`${root}/maintenance/${script}.php`, ...args], {
          cwd: root,
          env: existsSync(settings) ? { MW_CONFIG_FILE: settings } : {},
        });
      php(
        'install',
        ...['--dbtype', 'sqlite', '--dbpath', folder, '--dbname', 'birds', '--confpath', folder],
        ...['--scriptpath', '', '--server', origin, '--pass', 'a-long-enough-one-7', 'Birds', 'Admin'],
      );
      // Addresses as on hosts without PATH_INFO.
      writeFileSync(settings, '\n$wgUsePathInfo = false;\n', { flag: 'a' });
      php('importTextFiles', ...readdirSync(texts).map((file) => path.join(texts, file)));
      return {
        command: 'php',
        args: ['-S', `127.0.0.1:${String(port)}`, '-t', root],
        env: { MW_CONFIG_FILE: settings, PHP_CLI_SERVER_WORKERS: '2' },
      };
    });
    return {
      ...served,
      useful,
      seeds: [`${served.origin}/index.php?title=Bird_1`],
      shows: ({ search }) => /^\?title=(Bird_\d+)$/.exec(search)?.[1] ?? null,
    };
  },
};

const dokuwiki: Target = {
  name: 'DokuWiki',
  isHere: () => existsSync('/usr/share/dokuwiki/doku.php') && isOnPath('php'),
  start: async () => {
    const folder = makeFolder();
    const wiki = path.join(folder, 'wiki');
    cpSync('/usr/share/dokuwiki', wiki, { recursive: true, dereference: true });
    cpSync('/etc/dokuwiki', path.join(wiki, 'conf'), { recursive: true, dereference: true });
    cpSync('/var/lib/dokuwiki/data', path.join(folder, 'data'), { recursive: true, dereference: true });
    writeFileSync(path.join(wiki, 'inc', 'preload.php'), `<?php define('DOKU_CONF', '${wiki}/conf/');\n`);
    // indexdelay: pages younger than that many seconds ask robots not to follow their links.
    writeFileSync(
      path.join(wiki, 'conf', 'local.php'),
      `<?php\n$conf['title'] = 'Trees';\n$conf['savedir'] = '${folder}/data';\n$conf['useacl'] = 0;\n$conf['indexdelay'] = 0;\n`,
    );
    const useful = range(12).map((at) => `tree${String(at)}`);
    for (const [at, name] of useful.entries()) {
      const next = useful[(at + 1) % useful.length] ?? '';
      const file = path.join(folder, 'data', 'pages', `${name}.txt`);
      writeFileSync(
        file,
        `====== ${name} ======\nNumber ${String(at)} bears fruit. After it comes [[${next}]].\n`,
      );
    }
    const served = await serve(
      folder,
      (port) => ({ command: 'php', args: ['-S', `127.0.0.1:${String(port)}`, '-t', wiki] }),
      '/doku.php?id=tree1',
    );
    return {
      ...served,
      useful,
      seeds: [`${served.origin}/doku.php?id=tree1`],
      shows: ({ search }) => /^\?id=(tree\d+)$/.exec(search)?.[1] ?? null,
    };
  },
};

const nobody = 65_534;
/** The server refuses to run as root. As nobody it must still read its own program, which may lie in root's home. */
const asNobody = [
  ...['--reuid', String(nobody), '--regid', String(nobody), '--clear-groups'],
  ...['--inh-caps', '+dac_read_search', '--ambient-caps', '+dac_read_search'],
];

function ownedByNobody(folder: string): void {
  chownSync(folder, nobody, nobody);
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    chownSync(path.join(folder, entry), nobody, nobody);
}

/** A session of a browser: signs Bob in, and answers his cookie. */
async function signIn(tracker: string): Promise<string> {
  const page = await fetch(tracker);
  const cookieOf = (response: Response): string =>
    response.headers.getSetCookie().map((line) => line.split(';')[0] ?? '').join('; '); // prettier-ignore
  const nonce = /name="@csrf"[^>]*value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
  const answer = await fetch(tracker, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookieOf(page), referer: tracker },
    body: new URLSearchParams({
      __login_name: 'bob',
      __login_password: 'bob-s-own',
      '@action': 'Login',
      '@csrf': nonce,
      __came_from: tracker,
    }),
  });
  const cookie = cookieOf(answer);
  return cookie === '' ? cookieOf(page) : cookie;
}

const isSignedIn = async (tracker: string, cookie: string): Promise<boolean> =>
  /@action=logout/i.test(await (await fetch(tracker, { headers: { cookie } })).text());

const tracker: Target = {
  name: 'Roundup with a live session',
  isHere: () => roundup() !== null,
  start: async () => {
    const { admin, server } = roundup() ?? { admin: '', server: '' };
    const folder = makeFolder();
    const home = path.join(folder, 'tracker');
    const useful = range(10).map((at) => `issue${String(at)}`);
    const served = await serve(
      folder,
      (port) => {
        const web = `http://127.0.0.1:${String(port)}/t/`;
        const ask = (...args: string[]): string => run(admin, ['-i', home, ...args], { cwd: folder });
        ask(
          'install',
          'classic',
          'anydbm',
          `tracker_web=${web},mail_domain=example.org,admin_email=a@example.org`,
        );
        ask('initialise', 'a-password');
        ask('create', 'user', 'username=bob', 'password=bob-s-own', 'roles=User', 'address=bob@example.org');
        for (const name of useful) ask('create', 'issue', `title=The ${name} of the garden gate`, 'status=1');
        const args = ['-n', '127.0.0.1', '-p', String(port), `t=${home}`];
        if (process.getuid?.() !== 0) return { command: server, args };
        ownedByNobody(folder);
        return { command: 'setpriv', args: [...asNobody, server, ...args] };
      },
      '/t/',
    );
    const web = `${served.origin}/t/`;
    const cookie = await signIn(web);
    if (!(await isSignedIn(web, cookie))) throw new Error('Bob could not sign in');
    return {
      ...served,
      useful,
      seeds: [web],
      settings: { headers: { Cookie: cookie } },
      shows: ({ pathname, search }) =>
        search === '' ? (/^\/t\/(issue\d+)$/.exec(pathname)?.[1] ?? null) : null,
      after: async () => {
        if (!(await isSignedIn(web, cookie))) throw new Error('the crawl has signed Bob out');
      },
    };
  },
};

/** A tree of folders with files. Answers the paths of all, as a listing has them. */
function makeFiles(folder: string): string[] {
  const paths = ['/'];
  for (const year of ['2023', '2024'])
    for (const month of range(4)) {
      const inside = `/${year}/m${String(month)}/`;
      mkdirSync(path.join(folder, inside), { recursive: true });
      for (const day of range(5)) {
        writeFileSync(
          path.join(folder, inside, `day${String(day)}.txt`),
          `${year} ${String(month * day)} mm rain\n`,
        );
        paths.push(`${inside}day${String(day)}.txt`);
      }
      paths.push(inside);
    }
  return [...paths, '/2023/', '/2024/'];
}

const shownByPath = ({ pathname, search }: URL): string | null => (search === '' ? pathname : null);
const modules = '/usr/lib/apache2/modules';

const apache: Target = {
  name: 'a listing by Apache',
  isHere: () => existsSync(`${modules}/mod_autoindex.so`) && isOnPath('apache2'),
  start: async () => {
    const folder = makeFolder();
    const files = path.join(folder, 'files');
    const useful = makeFiles(files);
    const served = await serve(folder, (port) => {
      const config = path.join(folder, 'apache.conf');
      const loaded = ['mpm_event', 'authz_core', 'autoindex', 'dir', 'mime'].map(
        (name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`,
      );
      writeFileSync(
        config,
        [
          ...loaded,
          `ServerRoot ${folder}`,
          'ServerName 127.0.0.1',
          `PidFile ${folder}/pid`,
          `ErrorLog ${folder}/error.log`,
          `Listen 127.0.0.1:${String(port)}`,
          ...(process.getuid?.() === 0 ? ['User nobody', 'Group nogroup'] : []),
          'TypesConfig /etc/mime.types',
          `DocumentRoot ${files}`,
          `<Directory ${files}>\nOptions +Indexes\nIndexOptions FancyIndexing\nRequire all granted\n</Directory>`,
        ].join('\n'),
      );
      run('chmod', ['-R', 'a+rX', folder]);
      return { command: 'apache2', args: ['-f', config, '-DFOREGROUND'] };
    });
    return { ...served, useful, seeds: [`${served.origin}/`], shows: shownByPath };
  },
};

const nginx: Target = {
  name: 'a listing by nginx',
  isHere: () => isOnPath('nginx'),
  start: async () => {
    const folder = makeFolder();
    const files = path.join(folder, 'files');
    const useful = makeFiles(files);
    const served = await serve(folder, (port) => {
      const config = path.join(folder, 'nginx.conf');
      writeFileSync(
        config,
        `daemon off; master_process off; pid nginx.pid; error_log error.log; events {}
         http { access_log off; client_body_temp_path b; proxy_temp_path p; fastcgi_temp_path f; uwsgi_temp_path u;
         scgi_temp_path s; server { listen 127.0.0.1:${String(port)}; root ${files}; autoindex on; } }`,
      );
      return { command: 'nginx', args: ['-p', folder, '-c', config, '-e', 'error.log'] };
    });
    return { ...served, useful, seeds: [`${served.origin}/`], shows: shownByPath };
  },
};

export const targets: readonly Target[] = [gitweb, cgit, mediawiki, dokuwiki, tracker, apache, nginx];
