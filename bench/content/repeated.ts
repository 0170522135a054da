/** What leaving out repeated blocks (content/repeated.ts) does to texts that are known, host by host. */
import { dirname } from 'node:path';
import { readShown, type Extractor } from '../../content/extract.ts';
import type { Repeated } from '../../contracts/extraction.ts';
import { BlockCounts } from '../../domain/boilerplate/block-counts.ts';
import { codes, declared, readDeclaration } from './declarations.ts';
import { layouts, renderLayout } from './layouts.ts';
import type { KnownPage } from './main-texts.ts';
import { matchesOf, type Matches } from './measures.ts';
import type { Peers } from './peers.ts';

const address = 'http://site.example/page';

/** Documentation: a folder is a host. */
export const byFolder = (pages: readonly KnownPage[]): KnownPage[][] => [
  ...Map.groupBy(pages, ({ name }) => dirname(name)).values(),
];

/** A host of each layout: what surrounds the text is the same on all its pages, and the text is another on each. */
export function builtHosts({ declarations }: Peers): KnownPage[][] {
  const stories = declared(declarations)
    .slice(0, 24)
    .map((language) => readDeclaration(declarations, codes[language] ?? '').paragraphs);
  const words = (stories[0] ?? []).slice(-12).join(' ').split(/\s+/);
  return Object.entries(layouts).map(([name, layout]) =>
    stories.map((paragraphs, at) => {
      const story = { title: paragraphs[0] ?? '', paragraphs: paragraphs.slice(2, 14), words };
      return {
        name: `${name} ${String(at)}`,
        body: Buffer.from(renderLayout(layout, story)),
        known: story.paragraphs.join('\n'),
      };
    }),
  );
}

export interface Effect {
  readonly pages: number;
  /** Blocks that were left out. */
  readonly blocks: number;
  readonly before: Texts;
  readonly after: Texts;
}
interface Texts {
  readonly main: Matches[];
  readonly all: Matches[];
}

export function leaveOut(extractor: Extractor, hosts: readonly (readonly KnownPage[])[]): Effect {
  const effect = { pages: 0, blocks: 0, before: { main: [], all: [] }, after: { main: [], all: [] } };
  for (const host of hosts) {
    const repeated = repeatedOn(extractor, host);
    for (const page of host) {
      effect.pages++;
      readInto(effect.before, page, new Set());
      effect.blocks += readInto(effect.after, page, repeated);
    }
  }
  return effect;
}

function repeatedOn(extractor: Extractor, host: readonly KnownPage[]): Repeated {
  const counts = new BlockCounts();
  for (const { body } of host) {
    const { blocks } = extractor.extract({
      ...{ body, url: address, contentType: 'text/html', xRobotsTag: null },
      ...{ agentTokens: [], maxLinks: 10, withBlocks: true },
    });
    counts.add(new Set((blocks ?? []).map(({ mark }) => mark)));
  }
  return new Set(counts.repeated().keys());
}

/** Answers how many blocks were left out. */
function readInto({ main, all }: Texts, { body, known }: KnownPage, repeated: Repeated): number {
  const shown = readShown(body, 'text/html', address, null, null, repeated);
  main.push(matchesOf(shown.main, known));
  all.push(matchesOf(shown.text, known));
  return shown.repeated?.blocks ?? 0;
}
