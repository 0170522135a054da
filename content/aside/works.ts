/** What is done with bodies in the threads of content/aside.ts: each work by name, a function of what can be sent to a thread. */
import type { Extracted, ExtractInput } from '../../contracts/extraction.ts';
import { createExtractor, type Extractor, readShown, readWithoutLanguage } from '../extract.ts';
import { toMarkdown } from '../markdown.ts';
import { sourceOf } from '../source.ts';
import { diffTexts } from '../text-diff.ts';

type Input = Omit<ExtractInput, 'body'>;

/** Loaded by the first page of which it is needed. */
let extractor: Promise<Extractor> | null = null;

export const works = {
  markdown: toMarkdown,
  shown: readShown,
  source: sourceOf,
  differences: diffTexts,
  extracted: async (body: Uint8Array, input: Input): Promise<Extracted> => {
    extractor ??= createExtractor();
    return (await extractor).extract({ ...input, body });
  },
  /** As `extracted`, without the language, for which much would have to be loaded. */
  read: (body: Uint8Array, input: Input): Extracted => readWithoutLanguage({ ...input, body }),
} as const;

export type Works = typeof works;
