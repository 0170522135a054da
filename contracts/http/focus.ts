/** What a crawl is about, on the wire (domain/relevance/). */
import { z } from 'zod';
import { plainText, tellingTerms, termsIn } from '../../domain/relevance/terms.ts';

const mostWords = 100;
const mostExamples = 10;
const longestExample = 200_000;
/** Words kept of an example: those that tell most of it. An example with fewer than five says nothing. */
const keptOfExample = 40;
const fewestOfExample = 5;

const word = z
  .string()
  .min(1)
  .max(100)
  .refine((text) => termsIn(text).length > 0, 'it has no word of two letters or more');

const example = z
  .string()
  .max(longestExample)
  .transform((text, context) => {
    const terms = tellingTerms(plainText(text), keptOfExample);
    if (terms.length >= fewestOfExample) return terms.join(' ');
    const message = `no text can be read in the example: it has ${String(terms.length)} words that tell anything, and needs ${String(fewestOfExample)}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  })
  .pipe(z.string());

export const crawlFocus = z
  .strictObject({
    words: z
      .array(word)
      .max(mostWords)
      .default([])
      .meta({ description: 'Words that relevant pages have; in a phrase each word counts.' }),
    examples: z
      .array(example)
      .max(mostExamples)
      .default([])
      .meta({
        description: `Relevant pages, as HTML or text. The ${String(keptOfExample)} words that tell most of each are kept.`,
      }),
  })
  .refine(({ words, examples }) => words.length + examples.length > 0, {
    message: 'must have a word or an example',
  })
  .meta({
    description:
      'What the crawl is about. Pages whose links, addresses and neighbours promise to be relevant to it are fetched first.',
    examples: [{ words: ['solar panel', 'photovoltaics'], examples: [] }],
  });
