/** Rules by which a crawl reads its pages, on the wire. Selectors are parsed when they are given, not when a page comes. */
import { createRequire } from 'node:module';
import type * as CssSelect from 'css-select';
import { z } from 'zod';
import { barringRelations, fieldTypes, type PageRules } from '../page-rules.ts';

const mostFields = 50;
const mostSelectors = 100;
const longestSelector = 500;

/** The parser is loaded with the first selector: most processes and verbs never see one. */
const load = createRequire(import.meta.url);

/** What is wrong with a selector; null: nothing. */
function selectorProblem(selector: string): string | null {
  const { compile } = load('css-select') as typeof CssSelect;
  try {
    compile(selector);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
  }
}

const selector = z
  .string()
  .max(longestSelector)
  .superRefine((text, context) => {
    const problem = text.trim() === '' ? 'it is empty' : selectorProblem(text);
    if (problem !== null)
      context.addIssue({ code: 'custom', message: `it is not a CSS selector that can be used: ${problem}` });
  })
  .meta({ description: 'CSS selector, as in style sheets; without pseudo-elements.', examples: ['.price'] });

const field = z
  .strictObject({
    select: selector,
    type: z.enum(fieldTypes).default('text').meta({
      description:
        'text: folded to single spaces, blocks on lines of their own; number, integer: the first number in the text; boolean: whether an element matches, unless it says false, no, off or 0; date: `YYYY-MM-DD`, or an instant in UTC if the page tells time and zone; url: made absolute.',
    }),
    attribute: z
      .string()
      .regex(/^[^\s"'<>/=\p{Cc}]{1,100}$/u, 'it must be the name of an attribute')
      .optional()
      .meta({
        description:
          'The attribute that holds the value. If it is not given: `href`, `src` or `content` for a url, `datetime` or `content` for a date, `content` of a `<meta>`, and otherwise the text of the element.',
      }),
    many: z.boolean().optional().meta({
      description: 'True: the values of all elements that match, as a list. False: that of the first.',
    }),
    decimal: z
      .enum(['.', ','])
      .optional()
      .meta({ description: 'The sign before the decimals of numbers on the pages; a point if not given.' }),
  })
  .superRefine(({ type, decimal }, context) => {
    if (decimal !== undefined && type !== 'number' && type !== 'integer')
      context.addIssue({ code: 'custom', path: ['decimal'], message: 'it is for numbers and integers' });
  });

const selectors = z.array(selector).max(mostSelectors).readonly().default([]);

export const pageRules = z
  .strictObject({
    fields: z
      .record(
        z.string().regex(/^[A-Za-z]\w{0,63}$/, 'a name is a letter, then letters, digits and _, 64 at most'),
        field,
      )
      .refine((fields) => Object.keys(fields).length <= mostFields, {
        error: `there may be at most ${String(mostFields)} fields`,
      })
      .default({})
      .meta({ description: `Values to take from each page, by name; ${String(mostFields)} at most.` }),
    include: selectors.meta({
      description:
        'If selectors are given, text and main text of a page are what matches one of them. Fields and links come from the whole page.',
    }),
    exclude: selectors.meta({
      description: 'What matches one of these selectors is no part of the text and main text of a page.',
    }),
    links: z
      .strictObject({
        follow: z.array(z.enum(barringRelations)).max(barringRelations.length).readonly().default([]).meta({
          description:
            'Links with these values of `rel` are followed. A page that asks as a whole not to follow its links is obeyed all the same.',
        }),
      })
      .default({ follow: [] })
      .meta({ description: 'How many links are taken from a page says `maxLinksPerPage`.' }),
  })
  .meta({
    description:
      'How pages are read: fields, parts of the text, links. Holds for pages that are read from then on. Null: as always.',
    examples: [
      {
        fields: {
          price: { select: '.price', type: 'number' },
          tags: { select: '.tag', type: 'text', many: true },
        },
        include: [],
        exclude: ['.cookie-banner'],
        links: { follow: [] },
      },
    ],
  }) satisfies z.ZodType<PageRules>;

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

export const pageFieldsView = z.record(z.string(), z.union([scalar, z.array(scalar).readonly()])).meta({
  id: 'PageFields',
  description:
    'Values that the rules of the crawl take from the page, by name. Null: the page has no such value.',
});
