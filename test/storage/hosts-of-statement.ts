/**
 * Which statements keep to the rows of one host? Judged by the text alone. Each mention of a table that is kept by host
 * must be tied to one and the same parameter by equalities in `where` and `on`: directly (`u.host_id = $1`), through
 * another relation (`u.host_id = q.host_id`), or through a nested query or a common table expression whose own tables
 * are all tied. Lists (`= any ($1)`, `in (…)`), rows that are given as JSON, and what stands under `or` or `case` tie
 * nothing. What triggers and functions touch is not seen.
 */

export interface Hosts {
  /** Tables kept by host that the text mentions, each once. */
  readonly tables: readonly string[];
  /** Of them: those with a mention that is tied to no parameter, or not to the one that the others are tied to. */
  readonly loose: readonly string[];
}

interface Relation {
  readonly name: string;
  readonly alias: string;
}

interface Query {
  /** Number of the text it is part of: the queries of a union share one. */
  readonly part: number;
  readonly relations: readonly Relation[];
  /** It changes rows of the first relation: `old` is that one's. */
  readonly changes: boolean;
  readonly equalities: readonly (readonly [string, string])[];
}

const startsQuery = /^\s*(?:with|select|insert|update|delete)\b|\bunion\b/;

/** Takes the nested queries out of a text, innermost first, and leaves `§n` for each; other parentheses go. */
function nest(text: string): readonly string[] {
  const parts: string[] = [];
  let rest = text
    .replaceAll(/--.*|'[^']*'/g, '')
    .replaceAll(/\busing \(host_id\b[^)]*\)/g, 'on using = host_id')
    .replaceAll(/\busing \([^)]*\)/g, '')
    .replaceAll(
      /(insert into \w+(?: as \w+)?) \(host_id\b[^)]*\)\s*values \((\$\d+)/g,
      '$1 where host_id = $2 (',
    )
    .replaceAll(
      /\bdistinct from\b|\bdo update set\b|\bfor (?:no key )?(?:update|share)\b(?: of \w+)?/g,
      ' is ',
    );
  for (let before = ''; before !== rest;) {
    before = rest;
    rest = rest.replaceAll(/\(([^()]*)\)/g, (_, inside: string) =>
      startsQuery.test(inside)
        ? ` §${String(parts.push(inside) - 1)} `
        : ` ${inside.match(/§\d+/g)?.join(' ') ?? ''} `,
    );
  }
  return [...parts, rest];
}

const word =
  '(?!(?:where|on|set|join|cross|left|full|using|order|group|limit|values|select|returning|is|window)\\b)\\w+';
const mention = new RegExp(
  // What follows a comma is a relation only in the list behind `from`.
  `(?:\\b(?:from|join|into|update|using)|(?<=\\bfrom\\b(?:(?!\\b(?:where|select)\\b)[^])*),)` +
    `\\s+(?:lateral\\s+)?(§?${word})(?:\\s+(?:as\\s+)?(${word}))?`,
  'g',
);

const relationsOf = (text: string): Relation[] =>
  [...text.matchAll(mention)].map(([, name = '', alias = name]) => ({ name, alias }));

function equalitiesOf(text: string, relations: readonly Relation[]): [string, string][] {
  const plain = text.replaceAll(/\bcase\b(?:(?!\bcase\b).)*?\bend\b/gs, '');
  const clauses = plain.matchAll(
    /\b(?:where|on)\b(.*?)(?=\b(?:where|on|join|cross|left|group|order|limit|returning|select)\b|$)/gs,
  );
  const found = [...clauses]
    .flatMap(([, clause = '']) => (/\bor\b/.test(clause) ? [] : clause.split(/\band\b/)))
    .flatMap((each) => [...each.matchAll(/^\s*([\w.$]+)(?:::\w+)?\s*=\s*([\w.$]+)(?:::\w+)?\s*$/g)])
    .map(([, left = '', right = '']): [string, string] => [left, right]);
  const [first, second] = relations;
  return found
    .flatMap((pair): [string, string][] => {
      if (pair[0] !== 'using') return [pair];
      return relations.slice(1).map(({ alias }) => [`${first?.alias ?? ''}.host_id`, `${alias}.host_id`]);
    })
    .concat(
      // New rows are those of the relation that they are made from.
      /\binsert into\b/.test(text) && second !== undefined
        ? [[`${first?.alias ?? ''}.host_id`, `${second.alias}.host_id`]]
        : [],
    );
}

/** @param kept tables that are kept by host */
export function hostsOf(text: string, kept: ReadonlySet<string>): Hosts {
  const parts = nest(text);
  const queries = parts.flatMap((own, part) =>
    own.split(/\bunion(?: all)?\b/).map((each): Query => {
      const relations = relationsOf(each);
      return {
        part,
        relations,
        changes: /\b(?:update|delete)\b/.test(each),
        equalities: equalitiesOf(each, relations),
      };
    }),
  );
  const expressions = new Map(
    parts.flatMap((own) =>
      [...own.matchAll(/\b(\w+)\s+as\s+(?:materialized\s+)?§(\d+)/g)].map(([, name = '', n]) => [
        name,
        Number(n),
      ]),
    ),
  );
  const partOf = (name: string): number | undefined =>
    name.startsWith('§') ? Number(name.slice(1)) : expressions.get(name);
  const around = (part: number): number =>
    parts.findIndex((own) => new RegExp(`§${String(part)}\\b`).test(own));

  /** Relation and parameter that a side of an equality stands for, if it is a host. */
  const hostOf = (side: string, { part, relations, changes }: Query): Relation | string | undefined => {
    if (side.startsWith('$')) return side;
    const [, alias, column = ''] = /^(?:(\w+)\.)?(\w+)$/.exec(side) ?? [];
    const isHost = ({ name }: Relation): boolean =>
      kept.has(name) ? column === (name === 'host' ? 'id' : 'host_id') : /^(?:host_)?id$/.test(column);
    if (alias === undefined) {
      const fits = relations.filter((each) => kept.has(each.name) && isHost(each));
      const [one] = fits.length > 0 ? fits : relations.filter((each) => partOf(each.name) !== undefined);
      return one !== undefined && fits.length < 2 && isHost(one) ? one : undefined;
    }
    const own = alias === 'old' && changes ? relations[0] : relations.find((each) => each.alias === alias);
    if (own !== undefined) return isHost(own) ? own : undefined;
    const outer = queries.filter((each) => each.part === around(part));
    return outer.map((each) => hostOf(side, each)).find((found) => found !== undefined);
  };
  const pairs = queries.flatMap((each) =>
    each.equalities.map(([left, right]) => [hostOf(left, each), hostOf(right, each)] as const),
  );

  const tied = new Map<Relation, string>();
  const within = (part: number): Relation[] =>
    queries
      .filter((each) => each.part === part)
      .flatMap(({ relations }) => relations)
      .flatMap((each) => (kept.has(each.name) ? [each] : []))
      .concat(parts.flatMap((_, nested) => (around(nested) === part ? within(nested) : [])));
  for (let before = -1; before < tied.size;) {
    before = tied.size;
    for (const [left, right] of pairs) {
      for (const [one, other] of [
        [left, right],
        [right, left],
      ] as const) {
        if (typeof one !== 'object' || tied.has(one) || other === undefined) continue;
        const to = typeof other === 'string' ? other : tied.get(other);
        if (to !== undefined) tied.set(one, to);
      }
    }
    for (const relation of queries.flatMap(({ relations }) => relations)) {
      const part = kept.has(relation.name) ? undefined : partOf(relation.name);
      if (part === undefined || tied.has(relation)) continue;
      const to = new Set(within(part).map((each) => tied.get(each)));
      const [one] = to;
      if (to.size === 1 && one !== undefined) tied.set(relation, one);
    }
  }
  const mentions = queries.flatMap(({ relations }) => relations.filter(({ name }) => kept.has(name)));
  const parameter = mentions.map((each) => tied.get(each)).find((each) => each !== undefined);
  const names = (of: readonly Relation[]): string[] => [...new Set(of.map(({ name }) => name))].sort();
  return {
    tables: names(mentions),
    loose: names(mentions.filter((each) => parameter === undefined || tied.get(each) !== parameter)),
  };
}
