/** Patterns of URLs, and domains, on the wire. */
import { z } from 'zod';
import { readDomain } from '../../domain/opt-out.ts';
import { maxPatternLength, maxPatternsLength } from '../../domain/pattern.ts';
import { patternProblems } from '../url-pattern.ts';

const pattern = z.string().meta({
  // A regular expression has its mark in front.
  maxLength: maxPatternLength + 're:'.length,
  description:
    'Pattern for the canonical URL: either a glob, in which `*` stands for any run of characters and `?` for any one character, or `re:` followed by an RE2 regular expression (no back-references, no look-around) that may match anywhere in the URL.',
  examples: ['*/private/*', 're:/item/[0-9]+$'],
});

export const patterns = z
  .array(pattern)
  .max(1_000)
  .refine((all) => all.reduce((sum, { length }) => sum + length, 0) <= maxPatternsLength, {
    error: `the patterns have more than ${String(maxPatternsLength)} characters together`,
  })
  .superRefine((all, context) => {
    for (const { at, message } of patternProblems(all))
      context.addIssue({ code: 'custom', path: [at], message });
  });

export const domain = z
  .string()
  .max(300)
  .transform((text, context) => {
    const read = readDomain(text);
    if (read.ok) return read.domain;
    context.addIssue({ code: 'custom', message: `it ${read.problem}` });
    return z.NEVER;
  })
  .pipe(z.string())
  .meta({ description: 'A domain with all its subdomains, or an IP address.' });
