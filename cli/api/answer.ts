/**
 * Answers of an API of another version. Fields that a newer version adds are ignored, and its new words of a list stay
 * text. Fields that an older version does not send are filled in: settings with their defaults, others with null, an
 * empty list or object, false, 0 or an empty text, whichever the schema takes first. A field that takes none of these,
 * such as an instant, is needed, and so is an id.
 */
import type { z } from 'zod';
import { defaultCrawlConfig } from '../../contracts/crawl.ts';
import { crawlConfig } from '../../contracts/http/crawl-settings.ts';
import { inWords } from '../../contracts/http/wording.ts';

type Schema = z.core.$ZodTypes;
type Issue = z.core.$ZodIssue;

/**
 * The answer as it was sent, if it fits; else with what is missing filled in.
 * @param refusal the error for an answer that cannot be used, from the reason @throws it
 */
export function readAnswer<T>(schema: z.ZodType<T>, body: unknown, refusal: (why: string) => Error): T {
  if (problemsOf(schema, body).length === 0) return body as T;
  // What shares no field with the schema is no answer of an Orbweaver at all.
  const answer = isRecord(body) && sharesNothing(schema, body) ? body : completed(schema, body);
  const [issue] = problemsOf(schema, answer).filter((each) => !isNews(each, answer));
  if (issue === undefined) return answer as T;
  throw refusal(`is not as expected (${issue.path.map(String).join('.')}: ${issue.message})`);
}

const problemsOf = (schema: z.core.$ZodType, value: unknown): readonly Issue[] =>
  (schema as z.ZodType).safeParse(value, { error: inWords }).error?.issues ?? [];

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function sharesNothing(schema: z.core.$ZodType, body: object): boolean {
  const { def } = (schema as Schema)._zod;
  return def.type === 'object' && !Object.keys(def.shape).some((name) => name in body);
}

function completed(schema: z.core.$ZodType, value: unknown): unknown {
  const { def } = (schema as Schema)._zod;
  if (def.type === 'object')
    return isRecord(value) ? { ...value, ...completedFields(schema, def.shape, value) } : value;
  if (def.type === 'array')
    return Array.isArray(value) ? value.map((each) => completed(def.element, each)) : value;
  if (def.type === 'record' && isRecord(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, completed(def.valueType, each)]),
    );
  if (def.type === 'union') {
    const tries = def.options.map((option) => [option, completed(option, value)] as const);
    return (tries.find(([option, tried]) => problemsOf(option, tried).length === 0) ?? [null, value])[1];
  }
  const wraps = def.type === 'optional' || def.type === 'nullable' || def.type === 'readonly';
  return wraps && value !== null && value !== undefined ? completed(def.innerType, value) : value;
}

function completedFields(
  schema: z.core.$ZodType,
  shape: Readonly<Record<string, z.core.$ZodType>>,
  value: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const usual: Readonly<Record<string, unknown>> = schema === crawlConfig ? { ...defaultCrawlConfig } : {};
  return Object.fromEntries(
    Object.entries(shape).flatMap(([name, field]) => {
      const filled =
        value[name] === undefined ? (usual[name] ?? emptyOf(field)) : completed(field, value[name]);
      // Programs and paths would take an empty id for one.
      const isNoId = filled === '' && /^id$|Id$/.test(name);
      return filled === undefined || isNoId ? [] : [[name, filled]];
    }),
  );
}

/** Undefined: the field may be absent, or it is needed. */
function emptyOf(schema: z.core.$ZodType): unknown {
  const { def } = (schema as Schema)._zod;
  const absent = (schema as z.ZodType).safeParse(undefined);
  if (absent.success) return absent.data;
  if (def.type === 'enum') return '';
  return [null, [], completed(schema, {}), false, 0, ''].find(
    (value) => problemsOf(schema, value).length === 0,
  );
}

/** Whether a newer API says what this version does not know: a word of a list, or a field. */
function isNews(issue: Issue, answer: unknown): boolean {
  if (issue.code === 'invalid_value') return typeof at(answer, issue.path) === 'string';
  if (issue.code !== 'invalid_union')
    return issue.code === 'unrecognized_keys' || issue.code === 'invalid_key';
  const inner = at(answer, issue.path);
  return issue.errors.some((branch) => branch.every((each) => isNews(each, inner)));
}

const at = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (within, key) => (typeof within === 'object' && within !== null ? Reflect.get(within, key) : undefined),
    value,
  );
