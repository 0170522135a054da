import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMultibyteEncoder } from '@exodus/bytes/multi-byte.js';
import { createSinglebyteEncoder } from '@exodus/bytes/single-byte.js';
import { decodeBody } from '../../content/charset.ts';
import { processorMs } from '../support/processor-time.ts';
import { runs } from '../support/runs.ts';

const latin = (text: string) => Buffer.from(text, 'latin1');
const hex = (digits: string) => Buffer.from(digits.replaceAll(' ', ''), 'hex');
const meta = (label: string) => latin(`<html><head><meta charset="${label}"><title>`);

/** Words in bytes, from the Encoding standard's tables. */
const samples: readonly (readonly [charset: string, bytes: Buffer, text: string])[] = [
  ['utf-8', hex('e4bda0 e5a5bd'), '你好'],
  ['windows-1252', hex('80 e9 93 94'), '€é“”'],
  ['windows-1251', hex('cf f0 e8 e2 e5 f2'), 'Привет'],
  ['koi8-r', hex('f0 d2 c9 d7 c5 d4'), 'Привет'],
  ['iso-8859-2', hex('b3 f3 64 bc'), 'łódź'],
  ['windows-1253', hex('c3 e5 e9 dc'), 'Γειά'],
  ['shift_jis', hex('82b1 82f1 82c9 82bf 82cd'), 'こんにちは'],
  ['euc-jp', hex('a4b3 a4f3 a4cb a4c1 a4cf'), 'こんにちは'],
  ['iso-2022-jp', hex('1b2442 2433 2473 1b2842'), 'こん'],
  ['gbk', hex('c4e3 bac3'), '你好'],
  ['gb18030', hex('c4e3 8139ef35'), '你' + String.fromCodePoint(0x3406)],
  ['big5', hex('a741 a66e'), '你好'],
  ['euc-kr', hex('bec8 b3e7'), '안녕'],
  ['utf-16le', hex('6000 1f04'), '`П'],
  ['utf-16be', hex('0060 041f'), '`П'],
];

const encode = (text: string, charset: string) =>
  /^(?:windows|koi8)/.test(charset)
    ? createSinglebyteEncoder(charset)(text)
    : createMultibyteEncoder(charset)(text);

describe('decodeBody', () => {
  it.each(samples)('reads %s named by the header', (charset, bytes, text) => {
    expect(decodeBody(bytes, charset)).toEqual({ text, charset });
    expect(decodeBody(bytes, ` ${charset.toUpperCase()} `)).toEqual({ text, charset });
  });

  it.each(samples.filter(([charset]) => !charset.startsWith('utf-16')))(
    'reads %s named by the document',
    (charset, bytes, text) => {
      const decoded = decodeBody(Buffer.concat([meta(charset), bytes]), null);
      expect(decoded.charset).toBe(charset);
      expect(decoded.text.endsWith(text)).toBe(true);
    },
  );

  it('takes the mark before the header, the header before the document', () => {
    const page = Buffer.concat([meta('koi8-r'), hex('e9')]);
    expect(decodeBody(page, 'windows-1252')).toMatchObject({ charset: 'windows-1252' });
    expect(decodeBody(page, null)).toMatchObject({ charset: 'koi8-r' });
    expect(decodeBody(Buffer.concat([hex('efbbbf'), page]), 'windows-1252').charset).toBe('utf-8');
    expect(decodeBody(hex('feff 0041'), 'utf-8')).toEqual({ text: 'A', charset: 'utf-16be' });
    expect(decodeBody(hex('fffe 4100'), null)).toEqual({ text: 'A', charset: 'utf-16le' });
  });

  it('reads an XML declaration, and the meta of HTML 4', () => {
    const declarations = [
      '<?xml version="1.0" encoding="koi8-r"?><html>',
      "<?xml version='1.0' encoding='koi8-r' standalone='yes'?><html>",
      '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">',
      '<META CONTENT="text/html;CHARSET=KOI8-R" HTTP-EQUIV=content-type>',
    ];
    for (const declaration of declarations) {
      const page = Buffer.concat([latin(declaration), hex('f0 d2 c9 d7 c5 d4')]);
      expect(decodeBody(page, null)).toEqual({ text: `${declaration}Привет`, charset: 'koi8-r' });
    }
  });

  it('finds a meta that comes late, unless the bytes are UTF-8 all the same', () => {
    const filler = latin(`<html><head><!--${' long '.repeat(5_000)}-->`);
    const late = (text: Buffer) => Buffer.concat([filler, meta('koi8-r'), text]);
    expect(decodeBody(late(hex('f0 d2 20')), null)).toMatchObject({ charset: 'koi8-r' });
    expect(decodeBody(late(Buffer.from('Привет')), null)).toMatchObject({ charset: 'utf-8' });
    const tooLate = Buffer.concat([latin('<p>'.repeat(30_000)), late(latin('\xe9t\xe9 '))]);
    expect(decodeBody(tooLate, null)).toMatchObject({ charset: 'windows-1252' });
  });

  it('passes over a meta in a comment', () => {
    const page = latin('<!-- <meta charset=koi8-r> --><p>Caf\xe9 Ren\xe9');
    expect(decodeBody(page, null).charset).toBe('windows-1252');
  });

  it('takes a UTF-32 mark for what browsers take it for: UTF-16', () => {
    expect(decodeBody(hex('fffe0000 41000000'), null).charset).toBe('utf-16le');
  });

  it.each([
    '<',
    '<!--',
    '<meta ',
    '<meta charset=',
    '<a "',
    '<?xml ',
    '\xe9',
    '<script>\xe9',
    "a'",
    'a\xe9b',
    '\xc3\xa9\xe9',
    '<!--\xe9',
    'e\xe9 ',
    '\x1b$B',
    '<\xe9',
  ])('looks at a megabyte of %j for a moment only', (piece) => {
    const body = latin(`${piece.repeat(Math.ceil(1_000_000 / piece.length))}\xe9 `);
    expect(processorMs(() => decodeBody(body, null))).toBeLessThan(1_000);
  });

  it('drops the mark from the text', () => {
    expect(decodeBody(hex('efbbbf 41'), null)).toEqual({ text: 'A', charset: 'utf-8' });
    expect(decodeBody(hex('efbbbf 41 ff'), null)).toEqual({ text: 'A\ufffd', charset: 'utf-8' });
  });

  it('passes over labels that nobody knows, and over those that browsers refuse to read', () => {
    expect(decodeBody(latin('plain'), 'klingon')).toEqual({ text: 'plain', charset: 'utf-8' });
    expect(decodeBody(latin('plain'), 'iso-2022-kr')).toEqual({ text: 'plain', charset: 'utf-8' });
    expect(decodeBody(Buffer.concat([meta('hz-gb-2312'), latin('x')]), null).charset).toBe('utf-8');
  });

  it('reads a meta that says UTF-16 as UTF-8, since it was readable (HTML standard section 13.2.3.2)', () => {
    expect(decodeBody(Buffer.concat([meta('utf-16'), latin('x')]), null).charset).toBe('utf-8');
  });

  it('takes undeclared bytes for UTF-8 where they are, even when cut inside a character', () => {
    const whole = Buffer.from('<p>Grüße 你好', 'utf8');
    expect(decodeBody(whole, null)).toEqual({ text: '<p>Grüße 你好', charset: 'utf-8' });
    for (const lost of [1, 2]) {
      const { text, charset } = decodeBody(whole.subarray(0, whole.length - lost), null);
      expect({ text: text.slice(0, 10), charset }).toEqual({ text: '<p>Grüße 你', charset: 'utf-8' });
    }
  });

  it('takes a page for UTF-8 whose only other character was cut', () => {
    expect(decodeBody(latin('<p>plain words \xc3'), null).charset).toBe('utf-8');
    expect(decodeBody(latin('<p>plain words \xe2\x82'), null).charset).toBe('utf-8');
  });

  it('finds UTF-16 markup without a mark', () => {
    const little = Buffer.from('<!doctype html><p>déjà', 'utf16le');
    expect(decodeBody(little, null)).toEqual({ text: '<!doctype html><p>déjà', charset: 'utf-16le' });
    expect(decodeBody(Buffer.from(little).swap16(), null).charset).toBe('utf-16be');
  });

  const paragraphs = {
    ru: 'Совет решил в понедельник отремонтировать старый мост до наступления зимы, хотя несколько членов предпочли бы новый.',
    ja: '市議会は月曜日、冬が来る前に古い橋を修理することを決めた。ただし数人の議員は川のもっと下流に新しい橋を建てるほうがよいと考えていた。',
    zh: '市议会星期一决定在冬天到来之前修复旧桥，尽管有几位议员更希望在河流下游再建一座新桥，离火车站更近一些。',
    tw: '市議會星期一決定在冬天到來之前修復舊橋，儘管有幾位議員更希望在河流下游再建一座新橋，離火車站更近一些。',
    ko: '시의회는 월요일에 겨울이 오기 전에 낡은 다리를 수리하기로 결정했지만 여러 의원들은 강 하류에 새 다리를 원했다.',
    de: 'Der Stadtrat beschloß am Montag, die alte Brücke noch vor dem Winter zu reparieren, obwohl mehrere Mitglieder lieber eine neue hätten.',
    cs: 'Rada se v pondělí rozhodla opravit starý most před příchodem zimy, ačkoli několik členů by raději postavilo nový dále po proudu řeky.',
    th: 'สภาเมืองตัดสินใจเมื่อวันจันทร์ว่าจะซ่อมสะพานเก่าก่อนถึงฤดูหนาว แม้ว่าสมาชิกหลายคนอยากสร้างสะพานใหม่มากกว่า',
  };
  it.each([
    ['windows-1251', paragraphs.ru],
    ['koi8-r', paragraphs.ru],
    ['shift_jis', paragraphs.ja],
    ['euc-jp', paragraphs.ja],
    ['gb18030', paragraphs.zh],
    ['big5', paragraphs.tw],
    ['euc-kr', paragraphs.ko],
    ['windows-1252', paragraphs.de],
    ['windows-1250', paragraphs.cs],
    ['windows-874', paragraphs.th],
  ])('guesses %s from the letters alone', (charset, text) => {
    const page = Buffer.concat([latin('<html>' + '<p>'.repeat(3_000)), Buffer.from(encode(text, charset))]);
    expect(decodeBody(page, null).text.endsWith(text)).toBe(true);
  });

  const short = {
    el: 'Το δημοτικό συμβούλιο αποφάσισε να επισκευάσει τη γέφυρα.',
    pl: 'Każdy człowiek ma prawo do życia, wolności i pracy.',
    cs: 'Každý má právo na práci a na svobodnou volbu zaměstnání.',
    hu: 'Minden embernek joga van a munkához és a szabadsághoz.',
    tr: 'Herkesin çalışma ve işini seçme özgürlüğü vardır.',
    lt: 'Visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis.',
    sq: 'Çdokush ka të drejtën e punës dhe të zgjedhjes së lirë të punës, në kushte të drejta.',
    ru: 'Каждый имеет право на труд и отдых.',
    he: 'כל אדם זכאי לעבודה ולמנוחה.',
    ar: 'لكل شخص الحق في العمل وفي الراحة.',
    th: 'ทุกคนมีสิทธิในการทำงานและพักผ่อน',
    fa: 'هر کس حق دارد کار کند و آزادانه آن را انتخاب کند.',
  };
  it.each([
    ['windows-1253', short.el],
    ['iso-8859-7', short.el],
    ['windows-1250', short.pl],
    ['iso-8859-2', short.pl],
    ['windows-1250', short.cs],
    ['iso-8859-2', short.cs],
    ['iso-8859-2', short.hu],
    ['windows-1254', short.tr],
    ['windows-1257', short.lt],
    ['windows-1252', short.sq],
    ['windows-1251', short.ru],
    ['koi8-r', short.ru],
    ['ibm866', short.ru],
    ['iso-8859-5', short.ru],
    ['windows-1255', short.he],
    ['windows-1256', short.ar],
    ['windows-1256', short.fa],
    ['windows-874', short.th],
  ])('guesses %s from one sentence, beside scripts and plain English', (charset, text) => {
    const script = '<script>if (a < b) document.write("<p>hello, world</p>");</script>\n'.repeat(90);
    const english = '<p>Please use the search function if you want to find more of our documents.</p>'.repeat(
      60,
    );
    const letters = Buffer.from(createSinglebyteEncoder(charset)(`<p>${text}</p>`));
    for (const page of [letters, Buffer.concat([latin(script), letters, latin(script), latin(english)])])
      expect(decodeBody(page, null).text).toContain(text);
    // The first byte that is not ASCII is a sign, far from the text.
    const sign = Buffer.from(createSinglebyteEncoder(charset)('<style>q { content: "\u00a0" }</style>'));
    expect(decodeBody(Buffer.concat([sign, latin(english), letters]), null).text).toContain(text);
  });

  it('guesses from markup where all else is ASCII', () => {
    const page = Buffer.from(createSinglebyteEncoder('windows-1251')(`<img alt="${short.ru}"><p>plain`));
    expect(decodeBody(page, null).text).toContain(short.ru);
  });

  it.each([
    ['“quoted” text, and it’s – as ever – Acme™'],
    ['price\u00a0list: £ 20 ± 3 %'],
    ['• a point … and the one after it'],
    ['René Müller’s résumé'],
  ])('takes English with signs and names for Western: %s', (text) => {
    const page = Buffer.from(
      createSinglebyteEncoder('windows-1252')(`<p>This is the page of ${text} of our town.</p>`),
    );
    expect(decodeBody(page, null)).toMatchObject({ charset: 'windows-1252' });
  });

  it('finds ISO-2022-JP by its escapes, and takes other escapes for nothing', () => {
    const page = Buffer.concat([latin('<p>'), hex('1b2442 2433 2473 1b2842'), latin('</p>')]);
    expect(decodeBody(page, null)).toEqual({ text: '<p>こん</p>', charset: 'iso-2022-jp' });
    expect(decodeBody(latin('<pre>\x1b[31mred\x1b[0m and \x1b$100'), null).charset).toBe('utf-8');
  });

  it.each(Object.entries(paragraphs))(
    'takes UTF-8 with a few broken bytes for UTF-8: %s',
    (_language, text) => {
      for (const broken of ['\xe9', '\x92', '\xc3 ', '\xe4\xb8 ']) {
        const page = Buffer.concat([Buffer.from(`<p>„${text}“</p>`), latin(`<p>caf${broken}</p>`)]);
        const decoded = decodeBody(page, null);
        expect(decoded.charset).toBe('utf-8');
        expect(decoded.text).toContain(text);
        expect(decoded.text).toContain('\ufffd');
      }
    },
  );

  it.each(['Café René', 'Prix : 20 euros, livré à domicile', 'España mañana', '25°C', '© 2004'])(
    'takes a few accented letters for Western: %s',
    (text) => {
      expect(decodeBody(latin(`<p>${text}</p>`), null)).toEqual({
        text: `<p>${text}</p>`,
        charset: 'windows-1252',
      });
    },
  );

  it('replaces what is malformed', () => {
    expect(decodeBody(hex('61 ff 62 c3'), 'utf-8')).toEqual({ text: 'a\ufffdb\ufffd', charset: 'utf-8' });
    expect(decodeBody(hex('61 81'), 'shift_jis').text).toBe('a\ufffd');
    expect(decodeBody(hex('61 00 d8'), 'utf-16le').text).toMatch(/\ufffd$/);
  });

  it('keeps nothing from one body to the next', () => {
    const torn = hex('82');
    decodeBody(torn, 'shift_jis');
    expect(decodeBody(latin('abc'), 'shift_jis').text).toBe('abc');
  });

  it('reads a view into a larger buffer', () => {
    const large = Buffer.from('xx<p>é</p>xx', 'utf8');
    expect(decodeBody(new Uint8Array(large.buffer, large.byteOffset + 2, 9), null).text).toBe('<p>é</p>');
  });

  it('never throws and always gives well-formed text', () => {
    const label = fc.oneof(fc.constant(null), fc.constantFrom(...samples.map(([name]) => name)), fc.string());
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), label, (body, charset) => {
        const decoded = decodeBody(body, charset);
        expect(decoded.text.isWellFormed()).toBe(true);
        expect(decoded.charset).toMatch(/^[a-z0-9_-]+$/);
      }),
      { numRuns: runs(500) },
    );
  });

  it('gives UTF-8 back as it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(!text.startsWith('\ufeff'));
        expect(decodeBody(Buffer.from(text, 'utf8'), 'utf-8').text).toBe(text);
      }),
    );
  });
});
