/**
 * WARC/1.1 records (ISO 28500:2017) of an exchange: made from what the fetcher tells, and read again. A character of a
 * text stands for a byte (latin1), as in the fields that the fetcher gives.
 */
import { hash as digest, randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';

/** An answer, and the request that it came to. */
export interface Capture {
  /** SHA-256 of `body`. */
  readonly hash: Uint8Array;
  /** The URL that was asked for. */
  readonly url: string;
  readonly at: Date;
  readonly remoteAddress: string | null;
  /** Fields of the request that may be told; crawls' own fields may be secrets. */
  readonly asked: Readonly<Record<string, string>>;
  readonly status: number;
  /** Lower-case names; a line feed in a value stands between two lines of that name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded by Content-Encoding. */
  readonly body: Uint8Array;
  readonly truncated: Truncation;
  /** When the body came of which the server says now that it has not changed (304); absent: this answer has a body. */
  readonly unchangedSince?: Date;
  /** The body is nobody's but this answer's: the record holds it, and no page can be read by its hash. */
  readonly alone?: true;
  /** The body is no answer's: a browser made it of the page at the URL. */
  readonly made?: Made;
}

/**
 * What a browser makes of a page: its HTML, a picture of what a window shows or of the whole page, a print. Records of
 * pictures and prints are about names of their own, so that no player takes them for the page; those of pictures are
 * Browsertrix's.
 */
const makings = {
  html: { warcType: 'conversion', prefix: '', contentType: 'text/html; charset=utf-8' },
  window: { warcType: 'resource', prefix: 'urn:view:', contentType: 'image/png' },
  page: { warcType: 'resource', prefix: 'urn:fullPage:', contentType: 'image/png' },
  pdf: { warcType: 'resource', prefix: 'urn:pdf:', contentType: 'application/pdf' },
} as const;
export type Made = keyof typeof makings;

/** Why `body` is not the whole body; 'unread': nobody waited for it. */
type Truncation = false | 'too-large' | 'incomplete' | 'bad-encoding' | 'unread';

/** A record as it was read. */
export interface ReadRecord {
  /** Fields of the record itself, by lower-case names. */
  readonly fields: ReadonlyMap<string, string>;
  /** Status line and fields of the HTTP message. */
  readonly head: string;
  readonly body: Uint8Array;
  /** What follows the record: its request, where that was asked for. */
  readonly rest: Buffer;
}

const lineEnd = '\r\n';
const blankLine = '\r\n\r\n';
/** Fields about the bytes on the wire, which the stored body does not have any more. Readers know these names. */
const ofTheWire: ReadonlySet<string> = new Set(['content-encoding', 'content-length', 'transfer-encoding']);
const capitals: ReadonlySet<string> = new Set(['warc', 'uri', 'id', 'ip']);
/** Fields of a record that hold for its block only, and that a revisit has of its own. */
const ofTheBlock: ReadonlySet<string> = new Set(['warc-type', 'warc-block-digest', 'content-length']);
const ofRevisits: ReadonlySet<string> = new Set([
  'warc-profile',
  'warc-refers-to',
  'warc-refers-to-target-uri',
  'warc-refers-to-date',
]);
const notModified = 'http://netpreserve.org/warc/1.1/revisit/server-not-modified';
const sameBody = 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest';
const truncation = {
  'too-large': 'length',
  incomplete: 'disconnect',
  'bad-encoding': 'unspecified',
  unread: 'unspecified',
} as const;

export const payloadDigest = (hash: Uint8Array): string => `sha256:${Buffer.from(hash).toString('hex')}`;

/** The answer with its body, and its request. */
export function responseRecords(capture: Capture): { readonly response: Buffer; readonly request: Buffer } {
  const { body, truncated } = capture;
  const id = newId();
  const head = answerHead(capture, body.length);
  const opening = [
    'WARC/1.1',
    'WARC-Type: response',
    ...common(capture, id),
    ...(truncated === false ? [] : [`WARC-Truncated: ${truncation[truncated]}`]),
    'Content-Type: application/http;msgtype=response',
    `Content-Length: ${String(head.length + body.length)}`,
  ].join(lineEnd);
  // One copy of the body.
  const before = opening + blankLine + head;
  const response = Buffer.allocUnsafe(before.length + body.length + blankLine.length);
  response.write(before, 'latin1');
  response.set(body, before.length);
  response.write(blankLine, before.length + body.length, 'latin1');
  return { response, request: requestRecord(capture, id) };
}

/** The head of an answer whose body is stored already, or that says so itself, and its request. */
export function revisitRecords(capture: Capture): { readonly revisit: Buffer; readonly request: Buffer } {
  const { unchangedSince } = capture;
  const id = newId();
  const revisit = record(
    [
      'WARC-Type: revisit',
      ...common(capture, id),
      ...(unchangedSince === undefined
        ? [`WARC-Profile: ${sameBody}`]
        : [
            `WARC-Profile: ${notModified}`,
            `WARC-Refers-To-Target-URI: ${capture.url}`,
            `WARC-Refers-To-Date: ${unchangedSince.toISOString()}`,
          ]),
      'Content-Type: application/http;msgtype=response',
    ],
    answerHead(capture, unchangedSince === undefined ? capture.body.length : null),
  );
  return { revisit, request: requestRecord(capture, id) };
}

/** The first record of a segment. */
export const infoRecord = (software: string, at: Date): Buffer =>
  record(
    [
      'WARC-Type: warcinfo',
      `WARC-Record-ID: ${newId()}`,
      `WARC-Date: ${at.toISOString()}`,
      'Content-Type: application/warc-fields',
    ],
    `software: ${software}\r\nformat: WARC File Format 1.1\r\n`,
  );

/** The record of a 304: what the server said of a body that it had sent before. */
export const saysUnchanged = ({ fields }: ReadRecord): boolean => fields.get('warc-profile') === notModified;

/** Types of records that are a body alone. */
const bodies: ReadonlySet<string | undefined> = new Set(
  Object.values(makings).map(({ warcType }) => warcType),
);

/** Reads the first record of these bytes. Null: they do not begin with a record about an HTTP message, or of a body alone. */
export function readRecord(bytes: Buffer): ReadRecord | null {
  const end = bytes.indexOf(blankLine);
  if (end < 0) return null;
  const [version, ...lines] = bytes.toString('latin1', 0, end).split(lineEnd);
  if (version !== 'WARC/1.1') return null;
  const fields = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const begin = end + blankLine.length;
  const blockEnd = begin + Number(fields.get('content-length'));
  const block = bytes.subarray(begin, blockEnd);
  const rest = bytes.subarray(blockEnd + blankLine.length);
  if (bodies.has(fields.get('warc-type'))) return { fields, head: '', body: block, rest };
  const headEnd = block.indexOf(blankLine);
  if (headEnd < 0) return null;
  const body = block.subarray(headEnd + blankLine.length);
  return { fields, head: block.toString('latin1', 0, headEnd), body, rest };
}

/** The record of an answer with its body, from one with or without. */
export function withBody({ fields, head }: ReadRecord, body: Uint8Array): Buffer {
  const told = [...fields].filter(([name]) => !ofTheBlock.has(name) && !ofRevisits.has(name));
  const length = head.length + blankLine.length + body.length;
  const opening = [
    'WARC/1.1',
    'WARC-Type: response',
    ...told.map(fieldLine),
    `Content-Length: ${String(length)}`,
  ];
  return Buffer.concat([
    Buffer.from(opening.join(lineEnd) + blankLine + head + blankLine, 'latin1'),
    body,
    Buffer.from(blankLine),
  ]);
}

/** A record that a revisit refers to, by what that record says of itself. */
export interface RefersTo {
  readonly id: string;
  readonly url: string;
  readonly date: string;
}

const referring = ({ id, url, date }: RefersTo): readonly string[] => [
  `WARC-Refers-To: ${id}`,
  `WARC-Refers-To-Target-URI: ${url}`,
  `WARC-Refers-To-Date: ${date}`,
];

/** To refer to a record that was read. */
export const placeOf = ({ fields }: ReadRecord): RefersTo => ({
  id: fields.get('warc-record-id') ?? '',
  url: fields.get('warc-target-uri') ?? '',
  date: fields.get('warc-date') ?? '',
});

/** The record of an answer without its body, which another record of the same archive holds. */
export function withoutBody(read: ReadRecord, refersTo: RefersTo): Buffer {
  const told = [...read.fields].filter(([name]) => !ofTheBlock.has(name) && !ofRevisits.has(name));
  const profile = `WARC-Profile: ${saysUnchanged(read) ? notModified : sameBody}`;
  return record(
    ['WARC-Type: revisit', ...told.map(fieldLine), profile, ...referring(refersTo)],
    read.head + blankLine,
  );
}

/** For an answer of which nothing was kept but that its body is that of another. */
export const headless = (url: string, at: Date, hash: Uint8Array, refersTo: RefersTo): Buffer =>
  record(
    [
      'WARC-Type: revisit',
      `WARC-Record-ID: ${newId()}`,
      `WARC-Date: ${at.toISOString()}`,
      `WARC-Target-URI: ${url}`,
      `WARC-Payload-Digest: ${payloadDigest(hash)}`,
      `WARC-Profile: ${sameBody}`,
      ...referring(refersTo),
    ],
    '',
  );

/** What a browser made of a page: of its HTML a conversion (WARC 1.1 §6.9), of the others resources. */
export function madeRecord(
  made: Made,
  { url, at, hash, body }: Pick<Capture, 'url' | 'at' | 'hash' | 'body'>,
): Buffer {
  const { warcType, prefix, contentType } = makings[made];
  return bodyRecord(warcType, { url: prefix + url, at, hash, contentType, body }).record;
}

/** What the record of something that a browser made holds. */
export function makingOf({ fields }: ReadRecord): Made {
  const url = fields.get('warc-target-uri') ?? '';
  return (['window', 'page', 'pdf'] as const).find((made) => url.startsWith(makings[made].prefix)) ?? 'html';
}

/** A body of which nothing was kept that its own answer said; and how to refer to it. */
export const bodyAlone = (
  url: string,
  at: Date,
  hash: Uint8Array,
  contentType: string | null,
  body: Uint8Array,
): { readonly record: Buffer; readonly refersTo: RefersTo } =>
  bodyRecord('resource', { url, at, hash, contentType, body });

function bodyRecord(
  warcType: 'resource' | 'conversion',
  {
    url,
    at,
    hash,
    contentType,
    body,
  }: Pick<Capture, 'url' | 'at' | 'hash' | 'body'> & { readonly contentType: string | null },
): { readonly record: Buffer; readonly refersTo: RefersTo } {
  const refersTo = { id: newId(), url, date: at.toISOString() };
  const [type = ''] = (contentType ?? '').split(/[\r\n]/);
  const opening = [
    'WARC/1.1',
    `WARC-Type: ${warcType}`,
    `WARC-Record-ID: ${refersTo.id}`,
    `WARC-Date: ${refersTo.date}`,
    `WARC-Target-URI: ${url}`,
    `WARC-Payload-Digest: ${payloadDigest(hash)}`,
    `WARC-Block-Digest: ${payloadDigest(hash)}`,
    `Content-Type: ${type === '' ? 'application/octet-stream' : type}`,
    `Content-Length: ${String(body.length)}`,
  ];
  const bytes = [Buffer.from(opening.join(lineEnd) + blankLine, 'latin1'), body, Buffer.from(blankLine)];
  return { record: Buffer.concat(bytes), refersTo };
}

/** Says more of a page, by names and values; a value of null is left out. */
export function metadataRecord(url: string, at: Date, said: Readonly<Record<string, string | null>>): Buffer {
  const lines = Object.entries(said).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${value.replace(/\s+/g, ' ')}\r\n`],
  );
  return record(
    [
      'WARC-Type: metadata',
      `WARC-Record-ID: ${newId()}`,
      `WARC-Date: ${at.toISOString()}`,
      `WARC-Target-URI: ${url}`,
      'Content-Type: application/warc-fields',
    ],
    // Such fields are UTF-8, whose bytes stand for characters here.
    Buffer.from(lines.join('')).toString('latin1'),
  );
}

/** `WARC-Target-URI`, as people and programs are used to, from `warc-target-uri`. */
const fieldLine = ([name, value]: readonly [string, string]): string => {
  const words = name
    .split('-')
    .map((word) =>
      capitals.has(word) ? word.toUpperCase() : word.replace(/^./, (letter) => letter.toUpperCase()),
    );
  return `${words.join('-')}: ${value}`;
};

function requestRecord({ url, at, asked }: Capture, id: string): Buffer {
  const { host, pathname, search } = new URL(url);
  const head = [`GET ${pathname}${search} HTTP/1.1`, `host: ${host}`, ...fieldLines(asked)];
  return record(
    [
      'WARC-Type: request',
      `WARC-Record-ID: ${newId()}`,
      `WARC-Concurrent-To: ${id}`,
      `WARC-Date: ${at.toISOString()}`,
      `WARC-Target-URI: ${url}`,
      'Content-Type: application/http;msgtype=request',
    ],
    head.join(lineEnd) + blankLine,
  );
}

/** A record without a body: it has a digest over all of its block. */
function record(fields: readonly string[], block: string): Buffer {
  const blockDigest = digest('sha256', Buffer.from(block, 'latin1'), 'hex');
  const opening = [
    'WARC/1.1',
    ...fields,
    `WARC-Block-Digest: sha256:${blockDigest}`,
    `Content-Length: ${String(block.length)}`,
  ].join(lineEnd);
  return Buffer.from(opening + blankLine + block + blankLine, 'latin1');
}

const newId = (): string => `<urn:uuid:${randomUUID()}>`;

const common = ({ url, at, remoteAddress, hash }: Capture, id: string): string[] => [
  `WARC-Record-ID: ${id}`,
  `WARC-Date: ${at.toISOString()}`,
  `WARC-Target-URI: ${url}`,
  ...(remoteAddress === null ? [] : [`WARC-IP-Address: ${remoteAddress}`]),
  `WARC-Payload-Digest: ${payloadDigest(hash)}`,
];

/** The fetcher tells no reason phrase and no version: those of the status and of HTTP/1.1 stand for them. */
function answerHead({ status, headers }: Capture, bodyLength: number | null): string {
  const head = [
    `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}`,
    ...fieldLines(headers),
    ...(bodyLength === null ? [] : [`content-length: ${String(bodyLength)}`]),
  ];
  return head.join(lineEnd) + blankLine;
}

function fieldLines(fields: Readonly<Record<string, string>>): string[] {
  const lines: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    const told = ofTheWire.has(name) ? `x-archive-orig-${name}` : name;
    for (const line of value.split(/[\r\n]+/)) lines.push(`${told}: ${line}`);
  }
  return lines;
}
