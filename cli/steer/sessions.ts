/** `session`: logins of a crawl. Secrets come from files or from standard input, since others may see a command line. */
import {
  newSession,
  sessionsView,
  type NewSession,
  type SessionsView,
} from '../../contracts/http/sessions.ts';
import { counted } from '../../domain/counted.ts';
import { ofCrawl } from '../arguments.ts';
import { CommandError } from '../ending.ts';
import { judged } from '../judged.ts';
import { moment, table } from '../output/table.ts';
import { asks } from '../verb.ts';
import { readSecret } from './secret-file.ts';

const asJson = { '--json': 'as JSON' } as const;

export const verbs = [
  asks({
    words: 'session add',
    summary:
      'Give a crawl a session. What it had at the same places is replaced, and it goes on at hosts that had logged it out.',
    takes: {
      ...ofCrawl,
      '--cookies <file>': 'cookies.txt, or the JSON that browser extensions write; - for standard input',
      '--origin <origin>': 'where --basic, --bearer or --headers are sent, such as https://example.com',
      '--path <path>': 'send them at and below this path only',
      '--basic <file>': 'file with user:password, for HTTP Basic; - for standard input',
      '--bearer <file>': 'file with a bearer token; - for standard input',
      '--headers <file>': 'file with header fields, one `Name: value` a line; - for standard input',
      '--proxy <file>':
        'file with the URL of a proxy by which all requests of the crawl go, such as socks5://user:password@proxy.example:1080; - for standard input',
      '--logged-out-text <text>': 'a text that the site shows to those who are not logged in',
      ...asJson,
    },
    examples: ['3 --cookies cookies.txt', '3 --origin https://example.com --bearer token.txt'],
    route: 'POST /v1/crawls/{crawl}/sessions',
    body: async ({ cookies, origin, path, basic, bearer, headers, proxy, loggedOutText }) => {
      const given = {
        ...(cookies !== undefined && { cookies: await readSecret(cookies) }),
        ...(basic !== undefined && { basic: credentialsIn(await readSecret(basic)) }),
        ...(bearer !== undefined && { bearer: (await readSecret(bearer)).trim() }),
        ...(proxy !== undefined && { proxy: (await readSecret(proxy)).trim() }),
        ...(headers !== undefined && { headers: fieldsIn(await readSecret(headers)) }),
        origin,
        path,
        loggedOutText,
      };
      return judged<NewSession>(newSession, given, ([field]) =>
        field === undefined ? undefined : `--${field === 'loggedOutText' ? 'logged-out-text' : field}`,
      );
    },
    answer: sessionsView,
    print: sessionLines,
  }),
  asks({
    words: 'session list',
    summary: 'List what a crawl has of sessions, without secrets, and the hosts that have logged it out.',
    takes: { ...ofCrawl, ...asJson },
    examples: ['3'],
    route: 'GET /v1/crawls/{crawl}/sessions',
    answer: sessionsView,
    print: sessionLines,
  }),
  asks({
    words: 'session retry',
    summary: 'Ask hosts that have logged a crawl out again, with the session that it has.',
    takes: { ...ofCrawl, ...asJson },
    examples: ['3'],
    route: 'POST /v1/crawls/{crawl}/sessions/retry',
    answer: sessionsView,
    print: sessionLines,
  }),
  asks({
    words: 'session remove',
    summary: 'Take back what a crawl has at a place, as session list shows it.',
    takes: {
      ...ofCrawl,
      '<place>': 'an origin, a host, a domain with a dot before it, or * for the proxy',
      ...asJson,
    },
    examples: ['3 .example.com', '3 https://example.com'],
    route: 'DELETE /v1/crawls/{crawl}/sessions/{place}',
    answer: sessionsView,
    print: sessionLines,
  }),
];

/** @throws CommandError that shows nothing of the file */
function credentialsIn(text: string): { readonly user: string; readonly password: string } {
  const line = text.replace(/\r?\n$/, '');
  const colon = line.indexOf(':');
  if (colon < 0) throw new CommandError('The file of --basic must hold user:password.');
  return { user: line.slice(0, colon), password: line.slice(colon + 1) };
}

/** @throws CommandError that shows nothing of the file */
function fieldsIn(text: string): Record<string, string> {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line, at) => {
      const [, name, value] = /^([^\s:]+):\s*(.*?)\s*$/.exec(line) ?? [];
      if (name === undefined || value === undefined)
        throw new CommandError(`Line ${String(at + 1)} of the file of --headers must be \`Name: value\`.`);
      return [name, value];
    }),
  );
}

/** Names that a line shows. */
const namesShown = 8;

function sessionLines({ sessions, loggedOut, loggedOutHosts: all }: SessionsView): string[] {
  const rows = sessions.map(({ place, kind, names, createdAt, endsAt }) => [
    place,
    kind,
    `${names.slice(0, namesShown).join(', ')}${names.length > namesShown ? ' …' : ''}`,
    moment(createdAt),
    moment(endsAt, 'no end of its own'),
  ]);
  const out = loggedOut.map(({ origin, since, why, queued }) => [
    origin,
    moment(since),
    why,
    counted(queued, 'URL waits', 'URLs wait'),
  ]);
  const more = all - out.length;
  return [
    ...(rows.length === 0
      ? ['The crawl has no session.']
      : table([['place', 'kind', 'names', 'given', 'ends'], ...rows])),
    ...(out.length === 0
      ? []
      : ['', 'Logged out:', ...table([['host', 'since', 'the session was', 'waiting'], ...out])]),
    ...(more > 0 ? [`and ${counted(more, 'more host', 'more hosts')}`] : []),
  ];
}
