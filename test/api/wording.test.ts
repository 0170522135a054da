/** Nobody reads what a schema library says: whatever is wrong with an input is told in words of ours. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { HttpProblem, parseInput } from '../../api/way-in/problem.ts';
import { settings } from '../../config/table.ts';
import { hostSettingsChange } from '../../contracts/hosts.ts';
import { newCrawl } from '../../contracts/http/crawls.ts';
import { crawlEdit } from '../../contracts/http/edits.ts';
import { explainQuery } from '../../contracts/http/explain.ts';
import { newWebhook } from '../../contracts/http/webhooks.ts';
import { newKey } from '../../contracts/tenancy.ts';

const raw = /Invalid|expected|Unrecognized|Too (small|big)|must match pattern|undefined|NaN|^$/;
const nonsense = [
  ...[null, true, -1, 1.5, 1e300, '', 'nonsense', '\0', 'x'.repeat(200_000)],
  ...[
    [],
    [null],
    [''],
    ['nonsense'],
    [1],
    {},
    { nonsense: 1 },
    { any: [] },
    { any: [{}] },
    { any: [{ pages: 0 }] },
  ],
];

/** All that is said of one input. */
function said(schema: z.ZodType, input: unknown): string[] {
  try {
    parseInput(schema, input, 422);
    return [];
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    return [error.message, ...(error.extras.errors ?? []).map(({ message }) => message)];
  }
}

describe('what is wrong with an input', () => {
  it.each<[string, z.ZodObject]>([
    ['a crawl', newCrawl],
    ['an edit', crawlEdit],
    ['settings of a host', hostSettingsChange],
    ['a key', newKey],
    ['a webhook', newWebhook],
    ['a question', explainQuery],
  ])('is told in words: %s', (_name, schema) => {
    const fields = Object.keys(schema.shape);
    const inputs = [
      undefined,
      ...nonsense,
      ...fields.flatMap((field) => nonsense.map((value) => ({ [field]: value }))),
    ];
    const words = new Set(inputs.flatMap((input) => said(schema, input)));
    expect(words.size).toBeGreaterThan(5);
    expect([...words].filter((sentence) => raw.test(sentence))).toEqual([]);
  });

  it('says what would be right', () => {
    const shape = z.strictObject({
      whole: z.int().min(1).max(1_000),
      texts: z.array(z.string()).min(1).max(2),
      one: z.enum(['a', 'b']),
      when: z.iso.datetime(),
      either: z.union([z.number(), z.boolean()]),
    });
    const of = (field: keyof (typeof shape)['shape'], value: unknown) =>
      shape.shape[field].safeParse(value).success
        ? 'right'
        : said(z.looseObject({ [field]: shape.shape[field] }), { [field]: value })[0];
    expect(of('whole', '1')).toBe('whole: it must be a number');
    expect(of('whole', 1.5)).toBe('whole: it must be a whole number');
    expect(of('whole', 0)).toBe('whole: it must be at least 1');
    expect(of('whole', 1_001)).toBe('whole: it must be at most 1,000');
    expect(of('texts', [])).toBe('texts: it must not be empty');
    expect(of('texts', ['', '', ''])).toBe('texts: it must have at most 2 entries');
    expect(of('one', 'c')).toBe('one: it must be one of a, b');
    expect(of('when', 'soon')).toBe('when: it must be an instant in UTC, such as 2031-01-01T00:00:00Z');
    expect(of('either', 'x')).toBe('either: it must be a number, or it must be true or false');
    expect(said(shape, { more: 1 }).at(-1)).toBe('there is no "more"');
    expect(said(shape, { whole: 1 })).toContain('it is missing');
  });

  it('is told in words of each setting, too', () => {
    const words = Object.values(settings).flatMap((row) =>
      ['', 'nonsense', '-1', '1e99', '\0', ','].flatMap((text) => {
        const schema: z.ZodType = row.schema;
        return (schema.safeParse(text).error?.issues ?? []).map(({ message }) => message);
      }),
    );
    expect(words.length).toBeGreaterThan(30);
    expect(words.filter((sentence) => raw.test(sentence))).toEqual([]);
  });
});

it.each([
  ['maxPage', 'there is no "maxPage" (did you mean maxPages?)'],
  ['max_pages', 'there is no "max_pages" (did you mean maxPages?)'],
  ['MAXPAGES', 'there is no "MAXPAGES" (did you mean maxPages?)'],
  ['colour', 'there is no "colour"'],
  ['x'.repeat(200), `there is no "${'x'.repeat(200)}"`],
])('names the field that %.12s may stand for', (field, words) => {
  expect(said(newCrawl, { seeds: 'https://a.example/', [field]: 1 })).toContain(words);
});
