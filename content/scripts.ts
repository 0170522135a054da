/** The script of a text, and the languages that are written in it. */

/** Blocks of letters (first and last code point) and their script, in order. */
const blocks: readonly (readonly [first: number, last: number, script: string])[] = [
  [0x41, 0x5a, 'Latn'],
  [0x61, 0x7a, 'Latn'],
  [0xc0, 0x24f, 'Latn'],
  [0x370, 0x3ff, 'Grek'],
  [0x400, 0x52f, 'Cyrl'],
  [0x531, 0x58f, 'Armn'],
  [0x5d0, 0x5f4, 'Hebr'],
  [0x620, 0x6ff, 'Arab'],
  [0x750, 0x77f, 'Arab'],
  [0x780, 0x7bf, 'Thaa'],
  [0x900, 0x97f, 'Deva'],
  [0x980, 0x9ff, 'Beng'],
  [0xa00, 0xa7f, 'Guru'],
  [0xa80, 0xaff, 'Gujr'],
  [0xb00, 0xb7f, 'Orya'],
  [0xb80, 0xbff, 'Taml'],
  [0xc00, 0xc7f, 'Telu'],
  [0xc80, 0xcff, 'Knda'],
  [0xd00, 0xd7f, 'Mlym'],
  [0xd80, 0xdff, 'Sinh'],
  [0xe00, 0xe7f, 'Thai'],
  [0xe80, 0xeff, 'Laoo'],
  [0xf00, 0xfff, 'Tibt'],
  [0x1000, 0x109f, 'Mymr'],
  [0x10a0, 0x10ff, 'Geor'],
  [0x1200, 0x139f, 'Ethi'],
  [0x1780, 0x17ff, 'Khmr'],
  [0x1e00, 0x1eff, 'Latn'],
  [0x1f00, 0x1fff, 'Grek'],
  [0x3041, 0x30ff, 'Kana'],
  [0x3400, 0x9fff, 'Hani'],
  [0xac00, 0xd7a3, 'Hang'],
];

/** Number of its block, from 1, by UTF-16 code unit; 0: it has none. */
const blockOf = new Uint8Array(0x1_0000);
blocks.forEach(([first, last], nth) => blockOf.fill(nth + 1, first, last + 1));

/** Languages that are alone in their script, or nearly so. */
const only: Readonly<Record<string, string>> = {
  Grek: 'el',
  Armn: 'hy',
  Thaa: 'dv',
  Beng: 'bn',
  Guru: 'pa',
  Gujr: 'gu',
  Orya: 'or',
  Taml: 'ta',
  Telu: 'te',
  Knda: 'kn',
  Mlym: 'ml',
  Sinh: 'si',
  Thai: 'th',
  Laoo: 'lo',
  Tibt: 'bo',
  Mymr: 'my',
  Geor: 'ka',
  Khmr: 'km',
  Jpan: 'ja',
  Hani: 'zh',
  Kore: 'ko',
};

/** Scripts besides the usual one (CLDR's likely subtags) in which languages are published. */
const further: Readonly<Record<string, readonly string[]>> = {
  az: ['Cyrl', 'Arab'],
  bs: ['Cyrl'],
  kk: ['Latn', 'Arab'],
  ku: ['Arab'],
  ky: ['Arab'],
  mn: ['Latn'],
  ms: ['Arab'],
  pa: ['Arab'],
  sd: ['Deva'],
  sr: ['Latn'],
  tg: ['Latn'],
  tk: ['Cyrl'],
  ug: ['Latn', 'Cyrl'],
  uz: ['Cyrl'],
  tt: ['Latn'],
  ko: ['Hani'],
  ha: ['Arab'],
  ks: ['Deva'],
  ja: ['Hani'],
};

const eastern = ['Kana', 'Hang', 'Hani'];
const chinese: Readonly<Record<string, string>> = { Hans: 'Hani', Hant: 'Hani' };

/** ISO 15924 code of the script that most letters of a text have, `Hani` for Chinese; null: the text has no letters. */
export function scriptOf(text: string): string | null {
  const counts = new Uint32Array(blocks.length + 1);
  for (let at = 0; at < text.length; at++) {
    const block = blockOf[text.charCodeAt(at)] ?? 0;
    counts[block] = (counts[block] ?? 0) + 1;
  }
  const letters = new Map<string, number>();
  blocks.forEach(([, , script], nth) => {
    const count = counts[nth + 1] ?? 0;
    if (count > 0) letters.set(script, (letters.get(script) ?? 0) + count);
  });
  const [kana, hangul, hanzi] = eastern.map((script) => letters.get(script) ?? 0) as [number, number, number];
  for (const script of eastern) letters.delete(script);
  const [best, most] = [...letters].reduce<[string | null, number]>(
    (a, b) => (b[1] > a[1] ? b : a),
    [null, 0],
  );
  // A character of these says as much as two letters of an alphabet.
  if ((kana + hangul + hanzi) * 2 <= most) return best;
  if (hangul > kana + hanzi) return 'Kore';
  // Japanese is written in three scripts at once; Chinese has no kana.
  return kana * 8 > hanzi ? 'Jpan' : 'Hani';
}

/** The language of a script that has one; null: several share it. */
export const languageOfScript = (script: string): string | null => only[script] ?? null;

/** Is a language written in a script? Languages of which that is not known are written in any. */
export function isWrittenIn(language: string, script: string): boolean {
  const likely = new Intl.Locale(language).maximize().script;
  if (likely === undefined) return true;
  return (chinese[likely] ?? likely) === script || (further[language]?.includes(script) ?? false);
}
