/** What TypeScript takes the rows of each statement for, read from the types in storage/. */
import { globSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

export interface DeclaredRow {
  /** By which Postgres knows the statement. */
  readonly name: string;
  readonly maker: 'statement' | 'view';
  /** Each column with the kinds of value that it may have, such as `number` and `null`; `any`: whatever comes. */
  readonly columns: ReadonlyMap<string, readonly string[]>;
  /** Names of its values; none if they come by place. */
  readonly values: readonly string[];
}

/** Of the statements whose names stand in the source. */
export function declaredRows(): readonly DeclaredRow[] {
  const root = new URL('../../', import.meta.url).pathname;
  const file = ts.readConfigFile(path.join(root, 'tsconfig.json'), (each) => ts.sys.readFile(each));
  const config: unknown = file.config;
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const files = globSync('storage/**/*.sql.ts', { cwd: root }).map((file) => path.join(root, file));
  const program = ts.createProgram(files, { ...options, noEmit: true, incremental: false, composite: false });
  const checker = program.getTypeChecker();
  const found: DeclaredRow[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      const [maker, [name]] = [node.expression.text, node.arguments];
      const [values, row] = node.typeArguments ?? [];
      if ((maker === 'statement' || maker === 'view') && name !== undefined && ts.isStringLiteral(name))
        found.push({
          name: name.text,
          maker,
          values: values === undefined ? [] : namesOf(checker, checker.getTypeFromTypeNode(values)),
          columns: new Map(row === undefined ? [] : columnsOf(checker, checker.getTypeFromTypeNode(row))),
        });
    }
    ts.forEachChild(node, visit);
  };
  for (const file of files) {
    const source = program.getSourceFile(file);
    if (source !== undefined) visit(source);
  }
  return found;
}

const namesOf = (checker: ts.TypeChecker, values: ts.Type): string[] =>
  checker.isTupleType(values) ? [] : checker.getPropertiesOfType(values).map(({ name }) => name);

/** The columns of a union of rows are those of any of them. */
function columnsOf(checker: ts.TypeChecker, row: ts.Type): [string, string[]][] {
  const columns = new Map<string, Set<string>>();
  for (const each of row.isUnion() ? row.types : [row]) {
    for (const property of checker.getPropertiesOfType(each)) {
      const kinds = kindsOf(checker, checker.getTypeOfSymbol(property));
      columns.set(property.name, (columns.get(property.name) ?? new Set()).union(new Set(kinds)));
    }
  }
  return [...columns].map(([name, kinds]) => [name, [...kinds].sort()]);
}

function kindsOf(checker: ts.TypeChecker, type: ts.Type): string[] {
  if (type.isUnion()) return type.types.flatMap((each) => kindsOf(checker, each));
  if (type.isIntersection()) return kindsOf(checker, type.types[0] ?? type);
  const { flags } = type;
  if ((flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) !== 0) return ['any'];
  if ((flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined)) !== 0) return ['null'];
  if ((flags & ts.TypeFlags.NumberLike) !== 0) return ['number'];
  if ((flags & ts.TypeFlags.StringLike) !== 0) return ['string'];
  if ((flags & ts.TypeFlags.BooleanLike) !== 0) return ['boolean'];
  if (checker.isArrayType(type) || checker.isTupleType(type)) {
    const [element] = checker.getTypeArguments(type as ts.TypeReference);
    return [`${[...new Set(element === undefined ? [] : kindsOf(checker, element))].sort().join('|')}[]`];
  }
  const symbol = type.getSymbol()?.name;
  if (symbol === 'Date') return ['Date'];
  return [symbol === 'Buffer' || symbol === 'Uint8Array' ? 'bytes' : 'json'];
}
