/** Dates, languages and charsets of texts for which they are known. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeBody } from '../../content/charset.ts';
import type { Extractor } from '../../content/extract.ts';
import { codes, declared, readDeclaration } from './declarations.ts';
import type { Peers } from './peers.ts';

const ask = { xRobotsTag: null, agentTokens: [], maxLinks: 10 } as const;

export interface Told {
  readonly right: number;
  readonly wrong: readonly string[];
  readonly silent: readonly string[];
}

function toldOf(cases: readonly { name: string; known: string; found: string | null }[]): Told {
  const say = ({ name, known, found }: (typeof cases)[number]): string =>
    found === null ? name : `${name}: ${found}, not ${known}`;
  return {
    right: cases.filter(({ known, found }) => known === found).length,
    wrong: cases.filter(({ known, found }) => found !== null && known !== found).map(say),
    silent: cases.filter(({ found }) => found === null).map(say),
  };
}

/** Days on which newspaper4k's pages were published, as it finds them; null: its pages cannot be had. */
export function compareDates(extractor: Extractor, { newspaper }: Peers): Told | null {
  if (newspaper === null) return null;
  const cases = readdirSync(join(newspaper, 'metadata')).flatMap((file) => {
    const page = join(newspaper, 'html', file.replace(/\.json$/, '.html'));
    const { url, publish_date: known } = JSON.parse(
      readFileSync(join(newspaper, 'metadata', file), 'utf8'),
    ) as {
      url?: string;
      publish_date?: string | null;
    };
    if (!known || known === 'None' || !existsSync(page)) return [];
    const body = readFileSync(page);
    const { meta } = extractor.extract({
      ...{ body, url: url ?? 'http://site.example/', contentType: 'text/html', ...ask, now: Date.now() },
    });
    return [{ name: file, known: known.slice(0, 10), found: meta.published?.slice(0, 10) ?? null }];
  });
  return toldOf(cases);
}

/** Parts of declarations, without a declared language: a page each. */
export function compareLanguages(
  extractor: Extractor,
  { declarations }: Peers,
  words: number,
): { languages: number; told: Told } {
  const languages = declared(declarations);
  const cases = languages.flatMap((language) => {
    const { paragraphs } = readDeclaration(declarations, codes[language] ?? '');
    const parts: string[] = [];
    let open = '';
    for (const paragraph of paragraphs) {
      open += ` ${paragraph}`;
      // Six characters are a word, for scripts that set no spaces.
      if (open.split(/\s+/).length <= words && open.length <= words * 6) continue;
      parts.push(open);
      open = '';
    }
    return parts.map((text, nth) => ({
      name: `${language} ${String(nth)}`,
      known: language,
      found: extractor.extract({
        ...{ body: Buffer.from(`<p>${text}</p>`), url: `http://${language}${String(nth)}.example/` },
        ...{ contentType: 'text/html; charset=utf-8', ...ask },
      }).language,
    }));
  });
  return { languages: languages.length, told: toldOf(cases) };
}

/** Encodings in which the web was written, and a language that was written in them. */
const encodings: readonly (readonly [encoding: string, language: string])[] = [
  ['utf-8', 'de'], ['utf-8', 'ja'], ['utf-8', 'ru'], ['utf-16le', 'en'], ['utf-16be', 'zh'],
  ['windows-1252', 'fr'], ['windows-1252', 'de'], ['iso-8859-2', 'pl'], ['windows-1250', 'cs'], ['windows-1251', 'ru'],
  ['koi8-r', 'ru'], ['iso-8859-5', 'bg'], ['windows-1253', 'el'], ['iso-8859-7', 'el'], ['windows-1254', 'tr'],
  ['windows-1255', 'he'], ['windows-1256', 'ar'], ['windows-1257', 'lt'], ['windows-874', 'th'], ['shift_jis', 'ja'],
  ['euc-jp', 'ja'], ['iso-2022-jp', 'ja'], ['euc-kr', 'ko'], ['gb18030', 'zh'], ['big5', 'zh-hant'],
]; // prettier-ignore

export interface CharsetRow {
  readonly encoding: string;
  readonly language: string;
  /** Is the text read right if the header names the encoding, a `<meta>` does, or nothing does? */
  readonly header: boolean;
  readonly meta: boolean;
  readonly guessed: boolean;
}

/** With glibc's `iconv`; encodings that it cannot write are left out. */
export function compareCharsets({ declarations }: Peers): CharsetRow[] {
  return encodings.flatMap(([encoding, language]) => {
    const code = language === 'zh-hant' ? 'cmn_hant' : (codes[language] ?? '');
    const text = readDeclaration(declarations, code).paragraphs.slice(0, 12).join('\n');
    const encoded = (html: string): Buffer | null => {
      const { status, stdout } = spawnSync('iconv', ['-c', '-f', 'utf-8', '-t', encoding], { input: html });
      return status === null ? null : stdout;
    };
    const decoded = (bytes: Buffer, named: string | null): string =>
      decodeBody(bytes, named).text.replace(/<[^>]*>/g, '');
    const plain = encoded(`<html><body>${text}`);
    const meta = encoded(`<meta charset="${encoding}"><body>${text}`);
    if (plain === null || meta === null || plain.length === 0) return [];
    // What iconv leaves out, since the encoding has no such sign, is not there to be read.
    const known = new TextDecoder(encoding).decode(plain).replace(/<[^>]*>/g, '');
    return [
      {
        ...{ encoding, language },
        header: decoded(plain, encoding) === known,
        meta: decoded(meta, null) === known,
        guessed: decoded(plain, null) === known,
      },
    ];
  });
}
