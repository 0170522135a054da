/** Answers of APIs of other versions: every answer of the route table, with a field that is new, and without each field. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { routes } from '../../api/routes/table.ts';
import { readAnswer } from '../../cli/api/answer.ts';
import { defaultCrawlConfig } from '../../contracts/crawl.ts';
import { crawlView, type CrawlView } from '../../contracts/http/crawls.ts';

const words = [
  ...['x', '1', '2031-01-01T00:00:00.000Z', 'https://example.com', 'https://example.com/'],
  ...['00000000-0000-4000-8000-000000000000', '10.0.0.0/8', 'a.example', '2031-01-01', '7-2'],
];

/** An answer that fits. */
function sample(schema: z.core.$ZodType): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const fits = (value: unknown): boolean => (schema as z.ZodType).safeParse(value).success;
  if (def.type === 'object')
    return Object.fromEntries(Object.entries(def.shape).map(([name, field]) => [name, sample(field)]));
  if (def.type === 'array') return [[], [sample(def.element)]].find(fits);
  if (def.type === 'record') {
    const names = [...(def.keyType._zod.values ?? [])];
    return Object.fromEntries(names.map((name) => [name, sample(def.valueType)]));
  }
  if (def.type === 'enum') return Object.values(def.entries)[0];
  if (def.type === 'nullable') return null;
  if (def.type === 'optional' || def.type === 'readonly') return sample(def.innerType);
  if (def.type === 'union') return def.options.map(sample).find(fits);
  if (def.type === 'literal') return def.values[0];
  return [true, 0, 1, 100, ...words].find(fits);
}

const schemas = new Map<string, z.ZodType>();
for (const { docs } of routes)
  for (const [status, { response }] of Object.entries(docs?.answers ?? {})) {
    const schema = response.content?.['application/json']?.schema;
    if (status.startsWith('2') && schema instanceof z.ZodType)
      schemas.set(`${docs?.id ?? ''} ${status}`, schema);
  }

const without = (whole: object, ...names: readonly string[]): object =>
  Object.fromEntries(Object.entries(whole).filter(([name]) => !names.includes(name)));
const refusal = (why: string): Error => new Error(why);
/** Null: the answer can be used. */
function problemOf(schema: z.ZodType, answer: unknown): string | null {
  try {
    readAnswer(schema, answer, refusal);
    return null;
  } catch (error) {
    return String(error);
  }
}
const withNews = (value: unknown): unknown =>
  typeof value !== 'object' || value === null || Object.keys(value).length === 0
    ? value
    : Array.isArray(value)
      ? value.map(withNews)
      : {
          ...Object.fromEntries(Object.entries(value).map(([k, v]) => [k, withNews(v)])),
          fieldOfTomorrow: 1,
        };

describe.each([...schemas])('an answer of %s', (_name, schema) => {
  const whole = sample(schema);

  it('is taken as it is sent', () => {
    expect(schema.safeParse(whole).error).toBeUndefined();
    expect(readAnswer(schema, whole, refusal)).toBe(whole);
  });

  it('may have fields that are new', () => {
    expect(problemOf(schema, withNews(whole))).toBeNull();
  });

  it('may lack a field that has an empty value', () => {
    if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) return;
    for (const [name, value] of Object.entries(whole)) {
      const older = without(whole, name);
      const isEmpty = value === null || typeof value === 'boolean' || Array.isArray(value) || value === 0;
      // The only field of an answer is needed: without it anything would be an answer.
      if (Object.keys(older).length === 0) continue;
      const problem = problemOf(schema, older);
      if (isEmpty) expect(problem, name).toBeNull();
      else expect(problem ?? `(${name}`).toContain(`(${name}`);
    }
  });
});

describe('a crawl', () => {
  const whole = sample(crawlView) as CrawlView;

  it('of an older API has what its version did without', () => {
    const config = without(whole.config, 'sessionLinks', 'weight', 'boilerplate');
    const older = { ...without(whole, 'keptBack', 'cut', 'seeds', 'cause'), config };
    const read = readAnswer(crawlView, older, refusal);
    expect(read).toMatchObject({ keptBack: 0, cut: {}, cause: null });
    const none = { firstRejected: [], firstMoved: [] };
    expect(read.seeds).toEqual({ accepted: 0, rejected: 0, waiting: 0, moved: 0, ...none });
    const { sessionLinks, weight, boilerplate } = defaultCrawlConfig;
    expect(read.config).toMatchObject({ sessionLinks, weight, boilerplate });
  });

  it('of a newer API may be in a state and be left out for a reason that are new', () => {
    const news = { ...whole, state: 'hovering', excluded: { tide: 3 } };
    expect(readAnswer<unknown>(crawlView, news, refusal)).toEqual(news);
  });

  it('has an id, numbers that are numbers, and something of a crawl', () => {
    expect(() => readAnswer(crawlView, without(whole, 'id'), refusal)).toThrow(
      /^is not as expected \(id: it is missing\)$/,
    );
    expect(() => readAnswer(crawlView, { ...whole, pages: 'many' }, refusal)).toThrow(/\(pages: /);
    expect(() => readAnswer(crawlView, { a: 1 }, refusal)).toThrow(/it is missing/);
    expect(() => readAnswer(crawlView, 'hello', refusal)).toThrow(/it must be an object/);
  });
});
