/**
 * Pages of many hands of which it is known which are copies of which: the same article at another time, elsewhere, printed
 * or edited; and pages of one template that are about other things.
 */
import { hands, languages, Scribe } from './hands.ts';

interface MadePage {
  readonly html: string;
  /** Pages of one family are near-duplicates of its first. */
  readonly family: string;
  readonly kind: string;
  readonly original: boolean;
}

const own = Object.keys(hands).filter((name) => name !== 'print version' && name !== 'syndicated');

export function copiesSet(seed: number): readonly MadePage[] {
  const scribe = new Scribe(seed);
  const { random, words } = scribe;
  const pages: MadePage[] = [];
  const number = (least: number, most: number): string => String(scribe.between(least, most));
  const shown = (hand: string, reading: ReturnType<Scribe['reading']>): string =>
    hands[hand]?.(reading) ?? '';
  const plain = (title: string, body: string): string =>
    `<!doctype html><title>${title}</title><body><div id="content"><h1>${title}</h1>${body}</div>`;
  const edited = (text: readonly string[], share: number): string[] =>
    text.map((line) =>
      line
        .split(' ')
        .map((word) => (random() < share ? words.one() : word))
        .join(' '),
    );

  for (let at = 0; at < 140; at++) {
    const hand = scribe.pick(own);
    const language = languages[at % languages.length] ?? 'en';
    const [title = ''] = scribe.titles(1);
    const text = scribe.prose(scribe.between(40, 1_500));
    const about = scribe.sentence(18);
    const add = (kind: string, html: string, original = false): void => {
      pages.push({ html, family: `article ${String(at)}`, kind, original });
    };
    const again = (lines = text, place = about): ReturnType<Scribe['reading']> =>
      scribe.reading(language, title, lines, place);
    add('original', shown(hand, again()), true);
    add('read again', shown(hand, again()));
    add('elsewhere', shown(scribe.pick(own), again(text, scribe.sentence(25))));
    add('printed', shown('print version', again()));
    add('syndicated', shown('syndicated', again(text, scribe.sentence(40))));
    add('edited by 3 %', shown(hand, again(edited(text, 0.03))));
  }

  /** Pages of one template, each an original. */
  const template = (kind: string, sites: number, each: () => (at: number) => string): void => {
    for (let site = 0; site < sites; site++) {
      const make = each();
      for (let at = 0; at < 10; at++)
        pages.push({ html: make(at), family: `${kind} ${String(site)} ${String(at)}`, kind, original: true });
    }
  };
  template('product in sizes', 10, () => {
    const [name = ''] = scribe.titles(1);
    const text = scribe.prose(scribe.between(60, 500));
    return (at) =>
      plain(
        `${name} ${String(10 + at * 2)} mm`,
        `<p>${text.join('</p><p>')}</p><ul><li>Diameter ${String(10 + at * 2)} mm</li><li>Length ${String(40 + at * 5)} cm</li><li>Art. ${number(10_000, 99_999)}</li></ul><p>${number(3, 90)}.99 €</p>`,
      );
  });
  template('part numbers', 10, () => {
    const text = scribe.prose(scribe.between(60, 600));
    const [letter] = scribe.words.some(1);
    return () => {
      const part = `${(letter ?? 'x').slice(0, 2).toUpperCase()}-${number(1_000, 9_999)}`;
      return plain(
        `Datasheet ${part}`,
        `<p>${text[0] ?? ''} ${part}.</p><p>${text.slice(1).join('</p><p>')}</p><table><tr><td>Order code<td>${part}</tr></table>`,
      );
    };
  });
  template('table of values', 10, () => {
    const names = scribe.titles(24);
    const text = scribe.prose(60);
    return () =>
      plain(
        scribe.titles(1)[0] ?? '',
        `<p>${text.join('</p><p>')}</p><table>${names.map((name) => `<tr><td>${name}</td><td>${number(10, 90_000)}</td><td>${number(1, 99)}.${number(1, 9)}</td></tr>`).join('')}</table>`,
      );
  });
  template('timetable', 6, () => {
    const stops = scribe.titles(14);
    return (line) =>
      plain(
        `Line ${String(line + 1)}`,
        `<table>${stops.map((stop) => `<tr><td>${stop}</td>${Array.from({ length: 8 }, () => `<td>${number(5, 23)}:${number(10, 59)}</td>`).join('')}</tr>`).join('')}</table>`,
      );
  });
  template('chapter', 8, () => {
    const text = scribe.prose(scribe.between(30, 160));
    const [book = ''] = scribe.titles(1);
    return (at) =>
      plain(
        `${book}, chapter ${String(at + 1)}`,
        `<p>${text.join('</p><p>')}</p><p>Continue with chapter ${String(at + 2)}</p>`,
      );
  });
  template('notice', 10, () => {
    const text = scribe.prose(scribe.between(60, 300));
    return () =>
      plain(
        `Notice No. ${number(100, 999)}/${number(10, 25)}`,
        `<p>Case ${number(1_000, 9_999)}-${number(10, 99)}: ${scribe.titles(1)[0] ?? ''}, ${number(1, 200)} m²</p><p>${text.join('</p><p>')}</p>`,
      );
  });
  template('short page with much boilerplate', 20, () => {
    const about = scribe.prose(scribe.between(20, 90));
    return () =>
      plain(
        scribe.titles(1)[0] ?? '',
        `<p>${scribe.prose(scribe.between(20, 60)).join('</p><p>')}</p><p>${about.join('</p><p>')}</p>`,
      );
  });
  template('articles of one site', 10, () => {
    const hand = scribe.pick(own);
    const about = scribe.sentence(40);
    return () =>
      shown(
        hand,
        scribe.reading(
          scribe.pick(languages),
          scribe.titles(1)[0] ?? '',
          scribe.prose(scribe.between(30, 200)),
          about,
        ),
      );
  });
  template('weather', 6, () => {
    const text = scribe.prose(40);
    return () =>
      plain(
        `Weather in ${scribe.titles(1)[0] ?? ''}`,
        `<p>${text.join(' ')}</p><table>${Array.from({ length: 7 }, (_, at) => `<tr><td>Day ${String(at)}</td><td>${number(1, 35)} °C</td><td>${number(1, 40)} mm</td><td>${number(2, 90)} km/h</td></tr>`).join('')}</table>`,
      );
  });
  for (let at = 0; at < 30; at++) {
    const [name = ''] = scribe.titles(1);
    const text = scribe.prose(scribe.between(120, 500));
    for (const original of [true, false])
      pages.push({
        html: plain(
          name,
          `<p>${text.join('</p><p>')}</p><p>${number(10, 90)}.${number(10, 99)} €</p><p>4.${number(1, 9)} (${number(10, 900)} reviews)</p>`,
        ),
        ...{ family: `offer ${String(at)}`, kind: 'the same product at another price', original },
      });
  }
  return pages;
}
