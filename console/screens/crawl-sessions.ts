import { useState } from 'preact/hooks';
import type { NewSession, SessionsView } from '../../contracts/http/sessions.ts';
import { ask, post } from '../api/client.ts';
import { useAnswer } from '../api/loading.ts';
import { Action } from '../parts/action.ts';
import { choice, Form, input, typed } from '../parts/form.ts';
import { html } from '../parts/html.ts';
import { counted, instant, number, part, words } from '../parts/shown.ts';
import { loaded, nothing } from '../parts/states.ts';
import { Table, type Column } from '../parts/table.ts';
import { base } from '../router.ts';

type Session = SessionsView['sessions'][number];
type LoggedOut = SessionsView['loggedOut'][number];

const everyMs = 5_000;

const outColumns: readonly Column<LoggedOut>[] = [
  { name: 'Host', show: ({ origin }) => html`<a href=${`${base}/hosts/${part(origin)}`}>${origin}</a>` },
  { name: 'Since', show: ({ since }) => instant(since) },
  { name: 'Why', show: ({ why }) => why },
  { name: 'Queued', show: ({ queued }) => number(queued), isNumber: true },
];

export function CrawlSessions({ path }: { readonly path: string }) {
  const sessions = useAnswer<SessionsView>(`${path}/sessions`, everyMs);
  const [said, setSaid] = useState('');
  const remove = (place: string) => async (): Promise<undefined> => {
    await ask(`${path}/sessions/${part(place)}`, { method: 'DELETE' });
    sessions.again();
  };
  // What it did is said here, since its button goes with the list of hosts.
  const retry = async (): Promise<undefined> => {
    await post(`${path}/sessions/retry`);
    setSaid('The hosts are asked again.');
    sessions.again();
  };
  const columns: readonly Column<Session>[] = [
    { name: 'Place', show: ({ place }) => html`<code>${place}</code>` },
    { name: 'Kind', show: ({ kind }) => words(kind) },
    { name: 'Names', show: ({ names }) => html`<span class="clamp">${names.join(', ')}</span>` },
    { name: 'Given', show: ({ createdAt }) => instant(createdAt) },
    { name: 'Ends', show: ({ endsAt }) => (endsAt === null ? '–' : instant(endsAt)) },
    {
      name: 'Action',
      show: ({ place }) =>
        html`<${Action}
          label="Remove"
          kind="danger"
          run=${remove(place)}
          confirm=${`Nothing of it goes along with the next request to ${place}.`}
        />`,
    },
  ];
  return html`${loaded(
      sessions,
      ({ sessions: rows, loggedOutHosts, loggedOut }) => html`
        ${
          rows.length === 0
            ? nothing('The crawl is not logged in anywhere.')
            : html`<${Table}
                caption="Sessions of this crawl"
                columns=${columns}
                rows=${rows}
                keyOf=${({ place, kind }: Session) => `${place} ${kind}`}
              />`
        }
        ${
          loggedOutHosts > 0 &&
          html`<p>
              ${counted(loggedOutHosts, 'host')} ${loggedOutHosts === 1 ? 'has' : 'have'} logged the crawl
              out: its URLs there wait for another session.
            </p>
            <${Table}
              caption="Hosts that have logged the crawl out"
              columns=${outColumns}
              rows=${loggedOut}
              keyOf=${({ origin }: LoggedOut) => origin}
            />
            <${Action} label="Ask them again with the session that there is" run=${retry} />`
        }
      `,
    )}
    <p role="status">${said}</p>
    <details>
      <summary>Give it a session</summary>
      <${NewSessionForm} path=${path} done=${sessions.again} />
    </details>`;
}

const kinds = [
  ['cookies', 'Cookies'],
  ['basic', 'User and password (HTTP Basic)'],
  ['bearer', 'Bearer token'],
  ['headers', 'Header field'],
  ['proxy', 'Proxy for all requests'],
] as const;

function NewSessionForm({ path, done }: { readonly path: string; readonly done: () => void }) {
  const [kind, setKind] = useState<string>('cookies');
  const [turn, setTurn] = useState(0);
  const add = async (given: FormData): Promise<string> => {
    await post(`${path}/sessions`, sessionOf(kind, given));
    done();
    // The secrets leave the page.
    setTurn(turn + 1);
    return 'Given. It is kept sealed, and never shown again.';
  };
  const isAtPlace = kind === 'basic' || kind === 'bearer' || kind === 'headers';
  return html`<${Form} label="Give it" run=${add} kind="main">
    ${choice('Kind', 'kind', kinds, kind, setKind)}
    <div class="fields" key=${`${kind} ${String(turn)}`}>
      ${isAtPlace && input({ label: 'Origin', name: 'origin', placeholder: 'https://example.com', required: true, maxLength: 1_000 })}
      ${isAtPlace && input({ label: 'Path', name: 'path', placeholder: '/', hint: 'It is sent at and below this path.', maxLength: 1_024 })}
      ${kind === 'cookies' && html`<label class="field">Content of cookies.txt, or JSON of a browser extension<textarea name="cookies" rows="4" required spellcheck="false" autocomplete="off" /></label>`}
      ${kind === 'basic' && [input({ label: 'User', name: 'user', required: true }), secret('Password', 'password')]}
      ${kind === 'bearer' && secret('Token', 'bearer')}
      ${kind === 'headers' && [input({ label: 'Name of the field', name: 'header', placeholder: 'X-Api-Key', required: true }), secret('Value', 'value')]}
      ${kind === 'proxy' && input({ label: 'Proxy', name: 'proxy', placeholder: 'socks5://user:password@proxy.example:1080', required: true })}
      ${input({ label: 'Text of logged-out pages', name: 'loggedOutText', hint: 'An answer that has it shows that the session has ended.', maxLength: 200 })}
    </div>
  <//>`;
}

const secret = (label: string, name: string) =>
  html`<label class="field"
    >${label}<input name=${name} type="password" autocomplete="off" required
  /></label>`;

function sessionOf(kind: string, given: FormData): NewSession {
  const text = (name: string): string => typed(given, name) ?? '';
  const [path, loggedOutText] = [typed(given, 'path'), typed(given, 'loggedOutText')];
  const at = { origin: text('origin'), ...(path !== undefined && { path }) };
  const own: NewSession =
    kind === 'basic'
      ? { ...at, basic: { user: text('user'), password: text('password') } }
      : kind === 'bearer'
        ? { ...at, bearer: text('bearer') }
        : kind === 'headers'
          ? { ...at, headers: { [text('header')]: text('value') } }
          : kind === 'proxy'
            ? { proxy: text('proxy') }
            : { cookies: text('cookies') };
  return { ...own, ...(loggedOutText !== undefined && { loggedOutText }) };
}
