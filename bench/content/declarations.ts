/** The Universal Declaration of Human Rights in many languages: texts that are the same in all of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

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
