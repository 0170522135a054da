/** Encodings of pages that declare none: in all that the web was written in, short and long, with ASCII around them. */
import { spawnSync } from 'node:child_process';
import { normalizeEncoding } from '@exodus/bytes/encoding.js';
import { decodeBody } from '../../content/charset.ts';
import { declarationText } from './declarations.ts';
import { printTable } from './measures.ts';
import type { Peers } from './peers.ts';

/** Encodings, as the standard and `iconv` name them, and languages that were written in them. */
const pairs: readonly (readonly [encoding: string, languages: string, iconv?: string])[] = [
  ['windows-1252', 'fr de es pt it nl sv da nb fi is ca sq'],
  ['iso-8859-15', 'fr fi'],
  ['windows-1250', 'pl cs sk hu ro hr sl'],
  ['iso-8859-2', 'pl cs sk hu ro hr sl'],
  ['windows-1251', 'ru uk bg be sr mk'],
  ['koi8-r', 'ru'],
  ['koi8-u', 'uk'],
  ['iso-8859-5', 'ru bg sr'],
  ['ibm866', 'ru bg', 'cp866'],
  ['windows-1253', 'el'],
  ['iso-8859-7', 'el'],
  ['windows-1254', 'tr az'],
  ['windows-1255', 'he'],
  ['windows-1256', 'ar fa ur'],
  ['iso-8859-6', 'ar'],
  ['windows-1257', 'lt lv et'],
  ['iso-8859-4', 'lt lv'],
  ['windows-1258', 'vi', 'cp1258'],
  ['windows-874', 'th', 'cp874'],
  ['shift_jis', 'ja'],
  ['euc-jp', 'ja'],
  ['iso-2022-jp', 'ja'],
  ['euc-kr', 'ko'],
  ['gb18030', 'zh'],
  ['big5', 'zh-hant'],
  ['macintosh', 'fr de'],
  ['x-mac-cyrillic', 'ru', 'maccyrillic'],
];

const script = '<script>dataLayer = []; if (a < b) document.write("<p>hello</p>");</script>\n'.repeat(150);
const english =
  '<p>This page is available in the following language only. Please use the search function.</p>'.repeat(3);
const page = (body: string): string =>
  `<!doctype html><html><head><title></title></head><body>${body}</body></html>`;

/** Shapes of pages, made of paragraphs. */
const shapes: Readonly<Record<string, (text: readonly string[]) => string>> = {
  'a line': ([, line = '']) => `<p>${line.slice(0, 70)}`,
  'a paragraph': ([, , paragraph = '']) => page(`<p>${paragraph}`),
  'a paragraph within scripts': ([, , paragraph = '']) => page(`${script}<p>${paragraph}</p>${script}`),
  'a paragraph within English': ([, , , paragraph = '']) =>
    page(`${english}<p>${paragraph}</p>${english} © 2004`),
  'a long text': (text) => page(text.map((each) => `<p>${each}</p>`).join('\n')),
};

interface Case {
  readonly shape: string;
  readonly body: Buffer;
  /** What is to be read. */
  readonly known: string;
}

function casesOf(peers: Peers): Case[] {
  return pairs.flatMap(([encoding, languages, iconv = encoding]) =>
    languages.split(' ').flatMap((language) => {
      const text = declarationText(peers, language).filter((paragraph) => paragraph.length > 30);
      return Object.entries(shapes).flatMap(([shape, made]) => {
        const { stdout } = spawnSync('iconv', ['-c', '-f', 'utf-8', '-t', iconv], { input: made(text) });
        // What iconv leaves out, since the encoding has no such sign, is not there to be read.
        const isPlain = stdout.every((byte) => byte < 0x80 && byte !== 0x1b);
        return isPlain ? [] : [{ shape, body: stdout, known: decodeBody(stdout, encoding).text }];
      });
    }),
  );
}

/** Encodings that others name, by body. */
function others(
  peers: Peers,
  bodies: readonly Buffer[],
): Readonly<Record<string, readonly (string | null)[]>> {
  const asked = JSON.stringify(bodies.map((body) => body.toString('base64')));
  const python = (code: string): (string | null)[] | null => {
    const { status, stdout } = spawnSync('python3', ['-c', code], {
      ...{
        input: asked,
        encoding: 'utf8',
        maxBuffer: 1 << 28,
        env: { ...process.env, PYTHONPATH: peers.python ?? '' },
      },
    });
    return status === 0 ? (JSON.parse(stdout) as (string | null)[]) : null;
  };
  const read = 'import sys,json,base64\nbodies=[base64.b64decode(b) for b in json.load(sys.stdin)]\n';
  const chardet = python(
    `${read}import chardet\nprint(json.dumps([chardet.detect(b)["encoding"] for b in bodies]))`,
  );
  const normalizer = python(
    `${read}from charset_normalizer import from_bytes\nprint(json.dumps([getattr(from_bytes(b).best(),"encoding",None) for b in bodies]))`,
  );
  return {
    'chardet of npm': bodies.map((body) => peers.chardet(body)),
    ...(chardet !== null && { 'chardet of PyPI': chardet }),
    ...(normalizer !== null && { 'charset-normalizer': normalizer }),
  };
}

const aliases: Readonly<Record<string, string>> = {
  ...{
    cp932: 'shift_jis',
    cp949: 'euc-kr',
    cp874: 'windows-874',
    macroman: 'macintosh',
    mac_roman: 'macintosh',
  },
  ...{
    maccyrillic: 'x-mac-cyrillic',
    mac_cyrillic: 'x-mac-cyrillic',
    johab: 'euc-kr',
    'tis-620': 'windows-874',
  },
};

export function reportEncodings(peers: Peers): void {
  const cases = casesOf(peers);
  const bodies = cases.map(({ body }) => body);
  const readAs = (body: Buffer, named: string | null): string => {
    const label = named?.toLowerCase() ?? 'windows-1252';
    const plain = label.replace(/_/g, '-').replace(/^iso8859/, 'iso-8859');
    return decodeBody(body, normalizeEncoding(aliases[label] ?? aliases[plain] ?? plain) ?? 'windows-1252')
      .text;
  };
  const readings: Record<string, readonly string[]> = {
    Orbweaver: bodies.map((body) => decodeBody(body, null).text),
    ...Object.fromEntries(
      Object.entries(others(peers, bodies)).map(([name, found]) => [
        name,
        found.map((encoding, at) => readAs(bodies[at] ?? Buffer.alloc(0), encoding)),
      ]),
    ),
  };
  const names = Object.keys(readings);
  const rightOf = (shape: string | null): string[] => {
    const wanted = cases.flatMap((one, at) => (shape === null || one.shape === shape ? [at] : []));
    const right = (name: string): number =>
      wanted.filter((at) => readings[name]?.[at] === cases[at]?.known).length;
    return [shape ?? 'all', String(wanted.length), ...names.map((name) => String(right(name)))];
  };
  printTable(
    `Pages without a declared encoding, ${String(pairs.length)} encodings: read right`,
    ['page', 'number', ...names],
    [...Object.keys(shapes), null].map(rightOf),
  );
}
