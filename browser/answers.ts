/** What the browser is told in place of an answer from the web. */
import type { Protocol } from 'devtools-protocol';
import type { GivenAnswer } from '../contracts/rendering.ts';

type Fulfil = Omit<Protocol.Fetch.FulfillRequestRequest, 'requestId'>;

/**
 * Of no use to the page: how the body was sent, what the browser would fetch before it is asked for, where it would
 * report to; what would put the page into another process, whose time is not ours; and what would make a file of it.
 */
const dropped = new Set([
  'content-encoding',
  'content-length',
  'transfer-encoding',
  'content-disposition',
  'cross-origin-opener-policy',
  'cross-origin-embedder-policy',
  'origin-agent-cluster',
  'clear-site-data',
  'link',
  'alt-svc',
  'nel',
  'report-to',
  'reporting-endpoints',
]);

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

/** A status that the protocol takes: 304 would ask for a copy that the browser has not. */
const statusOf = (status: number): number => (status === 304 || status < 200 || status > 599 ? 502 : status);

export function fulfilled({ status, headers, body }: GivenAnswer): Fulfil {
  return {
    responseCode: statusOf(status),
    responseHeaders: headers
      .filter(([name]) => !dropped.has(name.toLowerCase()))
      .map(([name, value]) => ({ name, value: value.replace(/[\0\r\n]+/g, ' ') })),
    ...(!isRedirect(status) && {
      body: Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64'),
    }),
  };
}

/** One transparent point (GIF). */
const point = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

const open = { name: 'access-control-allow-origin', value: '*' };

/** For a request that is refused, in a form that the page takes for a success. */
export const emptyAnswers: Readonly<Record<'picture' | 'nothing', Fulfil>> = {
  picture: {
    responseCode: 200,
    responseHeaders: [{ name: 'content-type', value: 'image/gif' }, open],
    body: point,
  },
  nothing: {
    responseCode: 200,
    responseHeaders: [{ name: 'content-type', value: 'text/css' }, open],
    body: '',
  },
};

/**
 * Whether a request to another host may be made is asked by OPTIONS before it, which never leaves: what the answer to
 * the request itself allows is allowed, with the header fields that the page wants to send. They are not sent.
 */
export function preflightAnswer(asked: Readonly<Record<string, string>>, answer: GivenAnswer): Fulfil {
  const allowed = answer.headers.filter(([name]) =>
    /^access-control-allow-(origin|credentials)$/i.test(name),
  );
  const wanted = fieldOf(asked, 'access-control-request-headers');
  return {
    responseCode: 204,
    responseHeaders: [
      ...allowed.map(([name, value]) => ({ name, value })),
      ...(wanted === null ? [] : [{ name: 'access-control-allow-headers', value: wanted }]),
    ],
  };
}

/** A field of a request as the protocol tells it, whatever the case of its name. */
export const fieldOf = (headers: Readonly<Record<string, string>>, name: string): string | null =>
  Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1] ?? null;
