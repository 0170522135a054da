/** Location fields of every broken kind (RFC 9110 §10.2.2): each URL has one clear end, and nothing odd is asked for. */
import { describe, expect, it } from 'vitest';
import { rawServer } from '../../net/raw-server.ts';
import { expectExact } from '../storage/frontier.ts';
import { tables } from '../../support/database/index.ts';
import { withFetching } from './fetching.ts';

const fetching = withFetching();
const { pool } = fetching;

const latin = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
const nowhere = { state: 'failed', reason: 'bad-redirect' };
const loop = { state: 'failed', reason: 'redirect-loop' };
/** Reset and framing faults are tried again later. */
const unreadable = { state: 'queued', reason: 'protocol' };
const to = (target: string) => ({ state: 'done', reason: 'redirect', target });

/** What the head says besides its status, and what becomes of the URL. `~` stands for the origin. */
const cases: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
  // An answer like any other, with an empty body.
  ['none', 'X-A: b', { state: 'done', reason: 'fetched' }],
  ['empty', 'Location:', loop],
  ['white space', 'Location: \t  ', loop],
  ['its own fragment', 'Location: #top', loop],
  ['a query', 'Location: ?page=2', to('~/a-query?page=2')],
  ['a fragment too', 'Location: /b#part', to('~/b')],
  ['relative', 'Location: x/../y', to('~/y')],
  ['above the root', 'Location: ../../../../z', to('~/z')],
  ['spaces', 'Location: /two words ', to('~/two%20words')],
  ['backslashes', 'Location: \\c\\d', to('~/c/d')],
  ['no host', 'Location: http://', nowhere],
  ['half an address', 'Location: http://[::1', nowhere],
  ['a port too far', 'Location: http://127.0.0.1:99999/', nowhere],
  ['a host of spaces', 'Location: http://a b/', nowhere],
  ['a host of dots', 'Location: http://.../', nowhere],
  ['a script', 'Location: javascript:alert(1)', nowhere],
  ['data', 'Location: data:text/html,x', nowhere],
  ['a file', 'Location: file:///etc/passwd', nowhere],
  ['about', 'Location: about:blank', nowhere],
  ['credentials', 'Location: http://user:secret@127.0.0.1/', nowhere],
  ['10 KB', `Location: /${'x'.repeat(10_000)}`, nowhere],
  ['60 KB', `Location: /${'x'.repeat(60_000)}`, nowhere],
  ['one wrong scheme', 'Location: htp:/x', nowhere],
  ['a single slash', 'Location: http:/e', to('~/e')],
  ['raw UTF-8', latin('Location: /straße?q=日本'), to('~/stra%C3%9Fe?q=%E6%97%A5%E6%9C%AC')],
  ['raw Latin-1', 'Location: /stra\xdfe', to('~/stra%DFe')],
  ['a broken escape', 'Location: /100%', to('~/100%')],
  ['percent NUL', 'Location: /a%00b', to('~/a%00b')],
  ['markup', 'Location: /"><script>', to('~/%22%3E%3Cscript%3E')],
  ['twice the same', 'Location: /same\r\nLocation: /same', to('~/same')],
  ['twice different', 'Location: /this\r\nLocation: /that', nowhere],
  ['a NUL', 'Location: /a\0b', unreadable],
  ['a carriage return', 'Location: /a\rb', unreadable],
  ['folded', 'Location: /a\r\n /b', to('~/a%20/b')],
  ['Refresh instead', 'Refresh: 0; url=/f', { state: 'done', reason: 'fetched' }],
];

describe('a redirect whose Location is', () => {
  it('broken ends clearly, each after one request', async () => {
    const path = (name: string): string => `/${name.replaceAll(/[^A-Za-z0-9]+/g, '-').toLowerCase()}`;
    const fields = new Map(cases.map(([name, lines]) => [path(name), lines]));
    const server = await rawServer((socket, request) => {
      const asked = request.split(' ')[1] ?? '';
      const lines = fields.get(asked);
      const status = lines === undefined ? '404 Not Found' : '302 Found';
      socket.write(
        Buffer.from(`HTTP/1.1 ${status}\r\n${lines ?? 'X-A: b'}\r\nContent-Length: 0\r\n\r\n`, 'latin1'),
      );
    });
    const { host, crawl } = await fetching.queued(server.origin, [...fields.keys()], { scope: 'any' });
    expect(await fetching.role({ sliceMs: 120_000 }).fetchSlice(host)).toMatchObject({ lastError: null });

    const rows = await tables.url.rows(pool, { crawl_id: crawl });
    const found = new Map(rows.map((row) => [row.url.slice(server.origin.length), row]));
    for (const [name, , expected] of cases) {
      const row = found.get(path(name));
      const target = (row?.redirect_to ?? 'none').replace(server.origin, '~');
      expect({ name, state: row?.state, reason: row?.reason, target }).toEqual({
        name,
        target: expected === loop ? `~${path(name)}` : 'none',
        ...expected,
      });
    }
    const asked = server.requests.map((request) => request.split(' ')[1] ?? '');
    expect(asked.filter((each) => fields.has(each)).toSorted()).toEqual([...fields.keys()].toSorted());
    await expectExact(pool, crawl);
  });
});
