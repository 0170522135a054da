/**
 * Languages of texts for which they are known: pages that declare them, that declare nothing, and that have a template's
 * `lang="en"`; and the same articles within an English consent banner and menu.
 */
import type { Extractor } from '../../content/extract.ts';
import { declarationText, interfaceText } from './declarations.ts';
import { printTable, share } from './measures.ts';
import type { Peers } from './peers.ts';

const languages = (
  'af am ar az be bg bn bs ca cs cy da de el en eo es et eu fa fi fr ga gd gl gu ha he hi hr hu hy id ig is it ja ka ' +
  'kk km kn ko ky la lb lo lt lv mg mk ml mn mr ms mt my nb ne nl nn pa pl ps pt ro ru si sk sl so sq sr sv sw ta te ' +
  'tg th tk tl tr tt uk ur uz vi xh yi yo zh zu'
).split(' ');

const ask = {
  xRobotsTag: null,
  agentTokens: [],
  maxLinks: 10,
  contentType: 'text/html; charset=utf-8',
} as const;
/** A word has six characters where scripts set no spaces. */
const charactersOfWord = 6;
const mostTexts = 10;

const banner =
  '<div id="consent"><p>We and our partners use cookies to store and access information on your device, and to show you ' +
  'advertising that fits your interests. By clicking accept you agree to this. You can change your choice at any time ' +
  'in the settings, or withdraw your consent on the page that we link to at the foot of this site.</p></div>' +
  '<nav><a href="/">Home</a> <a href="/about">About us</a> <a href="/contact">Contact</a></nav>';

/** How pages are made of a text, and what they declare. */
const pages: Readonly<Record<string, (text: string, language: string) => string>> = {
  'declared right': (text, language) => `<html lang="${language}"><p>${text}</p>`,
  'not declared': (text) => `<html><p>${text}</p>`,
  'declared English': (text) => `<html lang="en"><p>${text}</p>`,
  'declared English, with a banner': (text) =>
    `<html lang="en"><body>${banner}<article><h1>${text.slice(0, 40)}</h1>${`<p>${text}</p>`.repeat(3)}</article>${banner}`,
};

export function reportLanguages(extractor: Extractor, peers: Peers): void {
  const sources = { declarations: declarationText, 'texts of interfaces': interfaceText };
  const rows = Object.entries(sources).flatMap(([source, textOf]) => {
    const texts = languages.map((language) => ({ language, texts: textsOf(textOf(peers, language)) }));
    const known = texts.filter((each) => each.texts.length > 0);
    const rowOf = (way: string, tell: (text: string, language: string, site: string) => string | null) => {
      let [right, all] = [0, 0];
      for (const [nth, { language, texts: own }] of known.entries()) {
        if (language === 'en' && way.startsWith('declared English')) continue;
        for (const [at, text] of own.entries()) {
          const found = tell(text, language, `http://${String(nth)}-${String(at)}.example/`);
          right += Number(found === language || (found === 'no' && language === 'nb'));
          all++;
        }
      }
      return [source, String(known.length), way, String(all), share(right / Math.max(1, all))];
    };
    return [
      ...Object.entries(pages).map(([way, page]) =>
        rowOf(
          way,
          (text, language, url) =>
            extractor.extract({
              ...ask,
              url: url.replace('//', `//${way.length.toString()}-`),
              body: Buffer.from(page(text, language)),
            }).language,
        ),
      ),
      rowOf('not declared, franc', (text) => peers.franc(text)),
    ];
  });
  printTable('Languages of some 60 words', ['texts', 'languages', 'pages', 'number', 'right'], rows);
}

function textsOf(paragraphs: readonly string[]): string[] {
  const texts: string[] = [];
  let open = '';
  for (const paragraph of paragraphs) {
    open += ` ${paragraph}`;
    if (open.split(/\s+/).length <= 60 && open.length <= 60 * charactersOfWord) continue;
    texts.push(open);
    open = '';
  }
  return texts.slice(0, mostTexts);
}
