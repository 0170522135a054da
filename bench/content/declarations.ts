/**
 * Texts that are the same in many languages: the Universal Declaration of Human Rights, and the texts of Django's
 * interface.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Peers } from './peers.ts';

export interface Declaration {
  readonly paragraphs: readonly string[];
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
};

/** @param code as in the file's name, such as `deu_1996` */
export function readDeclaration(folder: string, code: string): Declaration {
  const html = readFileSync(join(folder, `${code}.html`), 'utf8');
  const paragraphs = [...html.matchAll(/<p>([^]*?)<\/p>/g)].map(([, inner = '']) =>
    inner
      .replace(/<[^>]*>/g, '')
      .replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => entities[entity] ?? entity)
      .replace(/\s+/g, ' ')
      .trim(),
  );
  return { paragraphs: paragraphs.filter((line) => line !== '') };
}

/** Declarations by ISO 639-1 code, one of each language: those that the extractor's detector knows. */
export const codes: Readonly<Record<string, string>> = {
  ...{ ar: 'arb', az: 'azj_latn', be: 'bel', bg: 'bul', bn: 'ben', ca: 'cat', cs: 'ces', da: 'dan' },
  ...{
    de: 'deu_1996',
    el: 'ell_monotonic',
    en: 'eng',
    es: 'spa',
    et: 'est',
    eu: 'eus',
    fa: 'pes_1',
    fi: 'fin',
  },
  ...{ fr: 'fra', gu: 'guj', he: 'heb', hi: 'hin', hr: 'hrv', hu: 'hun', hy: 'hye', is: 'isl', it: 'ita' },
  ...{ ja: 'jpn', ka: 'kat', kn: 'kan', ko: 'kor', lt: 'lit', lv: 'lav', ml: 'mal', mr: 'mar', nl: 'nld' },
  ...{ no: 'nob', pa: 'pan', pl: 'pol', pt: 'por_BR', ro: 'ron_2006', ru: 'rus', sk: 'slk', sl: 'slv' },
  ...{
    sq: 'als',
    sr: 'srp_cyrl',
    sv: 'swe',
    ta: 'tam',
    te: 'tel',
    th: 'tha',
    tr: 'tur',
    uk: 'ukr',
    ur: 'urd',
  },
  ...{ vi: 'vie', zh: 'cmn_hans' },
};

export const declared = (folder: string): readonly string[] => {
  const files = new Set(readdirSync(folder));
  return Object.keys(codes).filter((language) => files.has(`${codes[language] ?? ''}.html`));
};

/** Further declarations, of languages that the extractor's detector does not know, or knows by another code. */
const furtherCodes: Readonly<Record<string, string>> = {
  ...{
    af: 'afr',
    am: 'amh',
    bs: 'bos_latn',
    cy: 'cym',
    eo: 'epo',
    ga: 'gle',
    gd: 'gla',
    gl: 'glg',
    ha: 'hau_NG',
  },
  ...{
    id: 'ind',
    ig: 'ibo',
    kk: 'kaz',
    km: 'khm',
    ky: 'kir',
    la: 'lat',
    lb: 'ltz',
    lo: 'lao',
    mg: 'plt',
    mk: 'mkd',
  },
  ...{
    mn: 'khk',
    ms: 'mly_latn',
    mt: 'mlt',
    my: 'mya',
    nb: 'nob',
    ne: 'nep',
    nn: 'nno',
    ps: 'pbu',
    pt: 'por_PT',
  },
  ...{
    si: 'sin',
    so: 'som',
    sw: 'swh',
    tg: 'tgk',
    tk: 'tuk_latn',
    tl: 'tgl',
    tt: 'tat',
    uz: 'uzn_latn',
    xh: 'xho',
  },
  ...{ yi: 'ydd', yo: 'yor', zu: 'zul', 'zh-hant': 'cmn_hant' },
};

/** Paragraphs of the declaration; none: there is no file of the language. */
export function declarationText({ declarations }: Peers, language: string): readonly string[] {
  const code = furtherCodes[language] ?? codes[language];
  if (code === undefined || !existsSync(join(declarations, `${code}.html`))) return [];
  return readDeclaration(declarations, code).paragraphs.map((paragraph) => paragraph.normalize('NFC'));
}

/** Sentences of Django's interface; none: it has none in the language, or could not be had. */
export function interfaceText({ python }: Peers, language: string): readonly string[] {
  const parts = ['contrib/admin/locale', 'contrib/auth/locale', 'contrib/admindocs/locale', 'conf/locale'];
  return parts.flatMap((part) => {
    const name = language === 'zh' ? 'zh_Hans' : language;
    const file = join(python ?? '', 'django', part, name, 'LC_MESSAGES', 'django.po');
    if (python === null || !existsSync(file)) return [];
    const messages = readFileSync(file, 'utf8').matchAll(/\nmsgstr(?:\[0\])? ((?:"(?:[^"\\]|\\.)*"\n?)+)/g);
    return [...messages]
      .map(([, quoted = '']) => sentenceOf(quoted))
      .filter((sentence) => sentence.length > 25);
  });
}

const sentenceOf = (quoted: string): string =>
  [...quoted.matchAll(/"((?:[^"\\]|\\.)*)"/g)]
    .map(([, line = '']) => line)
    .join('')
    .replace(/^.*Project-Id.*$/, '')
    .replace(/%\([a-z_]+\)[sd]|%[sd]|\{[^}]*\}|<[^>]*>|\\n/g, ' ')
    .replaceAll('\\"', '"')
    .replace(/\s+/g, ' ')
    .trim();
