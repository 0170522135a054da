/** What the API takes, as its OpenAPI document says it: forms are made from that, so that they know every setting. */
import { useAnswer, type Loading } from './loading.ts';

export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly $ref?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  /** Settings of a crawl: which of them belong together. */
  readonly 'x-family'?: string;
}

interface OpenApi {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Field {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'whole' | 'yes-no' | 'choice' | 'lines' | 'json';
  readonly choices: readonly string[];
  readonly isNullable: boolean;
  readonly isRequired: boolean;
  readonly description: string;
  /** Undefined: the document tells none. */
  readonly standard: unknown;
  readonly least: number | undefined;
  readonly most: number | undefined;
  readonly longest: number | undefined;
  readonly example: unknown;
  readonly family: string | undefined;
}

/** The fields of a body that the document describes under this name. */
export function useFields(name: string): Loading<readonly Field[]> {
  const { value, refusal, again } = useAnswer<OpenApi>('/openapi.json');
  const schemas = value?.components.schemas;
  return { value: schemas && fieldsOf(schemas[name] ?? {}, schemas), refusal, again };
}

const fieldsOf = (schema: Schema, all: OpenApi['components']['schemas']): readonly Field[] =>
  Object.entries(schema.properties ?? {}).map(([name, own]) => {
    const ways = (own.anyOf ?? [own]).map((way) => named(way, all));
    const given = ways.filter(({ type }) => type !== 'null');
    const main = given[0] ?? {};
    return {
      name,
      kind: kindOf(main),
      choices: main.enum ?? main.items?.enum ?? [],
      isNullable: ways.length > given.length,
      isRequired: schema.required?.includes(name) ?? false,
      description: own.description ?? main.description ?? '',
      standard: own.default,
      least: main.minimum ?? main.exclusiveMinimum,
      most: main.maximum,
      longest: main.maxLength,
      example: (own.examples ?? main.examples)?.[0],
      family: own['x-family'],
    };
  });

const named = (schema: Schema, all: OpenApi['components']['schemas']): Schema =>
  schema.$ref === undefined ? schema : (all[schema.$ref.split('/').at(-1) ?? ''] ?? {});

function kindOf({ type, enum: choices, items }: Schema): Field['kind'] {
  if (choices !== undefined) return 'choice';
  if (type === 'boolean') return 'yes-no';
  if (type === 'integer') return 'whole';
  if (type === 'number') return 'number';
  if (type === 'string') return 'text';
  return type === 'array' && items?.type !== 'object' && items?.$ref === undefined ? 'lines' : 'json';
}
