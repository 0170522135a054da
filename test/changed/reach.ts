/**
 * Which tests a change can break, by names: a test file counts if it imports a declaration that was touched, or one that
 * uses such a one in another file. Whole files would count nearly everything, since nearly everything imports
 * `contracts/`; types count for nothing here, the type check sees to them. Pure.
 */

/** What is asked of another file. */
interface Edge {
  readonly from: string;
  /** Names as they are called there; null: all. */
  readonly names: readonly string[] | null;
  /** Passed on to whoever imports this file. */
  readonly isPassedOn: boolean;
}

interface Declaration {
  readonly name: string;
  readonly isExported: boolean;
  readonly text: string;
  /** First and last line, counted from 1. */
  readonly lines: readonly [number, number];
}

export interface Module {
  readonly edges: readonly Edge[];
  readonly declarations: readonly Declaration[];
}

/** Modules by their paths from the root of the project. */
export type Modules = ReadonlyMap<string, Module>;

/** Lines of a file that a change touched; null: all of it. */
export type Touched = ReadonlyMap<string, readonly number[] | null>;

const edgeOf =
  /^(import|export) (type )?(?:\* as \w+|\*|\w+|\{([^}]*)\}|\w+, \{([^}]*)\}) from '(\.[^']+)';/gmu;
const bareEdge = /(?:^import |import\(|vi\.mock\()'(\.[^']+)'/gmu;
const declared =
  /^(export )?(?:default )?(?:declare )?(?:async )?(?:abstract )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/u;

/** @param resolve the path of a module from the root, from the path of who imports it and what stands there */
export function readModule(text: string, resolve: (specifier: string) => string): Module {
  const edges: Edge[] = [];
  for (const [, verb, type, names = null, more = null, from = ''] of text.matchAll(edgeOf)) {
    if (type !== undefined) continue;
    const listed = (names ?? more)?.split(',').map((name) => name.trim());
    const values = listed?.filter((name) => name !== '' && !name.startsWith('type '));
    if (values?.length === 0) continue;
    edges.push({
      from: resolve(from),
      names: values?.map((name) => name.split(' as ')[0] ?? name) ?? null,
      isPassedOn: verb === 'export',
    });
  }
  for (const [, from = ''] of text.matchAll(bareEdge)) {
    edges.push({ from: resolve(from), names: null, isPassedOn: false });
  }
  return { edges, declarations: declarationsOf(text.split('\n')) };
}

/** Top-level declarations, each with the lines up to the next one, and so with the comment above the next. */
function declarationsOf(lines: readonly string[]): Declaration[] {
  const begins = lines.flatMap((line, at) => {
    const [, isExported, name] = declared.exec(line) ?? [];
    return name === undefined ? [] : [{ at, name, isExported: isExported !== undefined }];
  });
  return begins.map(({ at, name, isExported }, index) => {
    const end = begins[index + 1]?.at ?? lines.length;
    return { name, isExported, text: lines.slice(at, end).join('\n'), lines: [at + 1, end] };
  });
}

/** Exported names of a module that use one of the names, themselves included; `using` may name imports. */
function exportsUsing(module: Module, using: ReadonlySet<string>): Set<string> {
  const found = new Set(using);
  for (let grew = true; grew;) {
    grew = false;
    for (const { name, text } of module.declarations) {
      if (found.has(name) || ![...found].some((used) => new RegExp(`\\b${used}\\b`, 'u').test(text)))
        continue;
      found.add(name);
      grew = true;
    }
  }
  const { declarations } = module;
  return new Set(
    declarations.filter(({ name, isExported }) => isExported && found.has(name)).map(({ name }) => name),
  );
}

function touchedNames(module: Module, lines: readonly number[] | null): Set<string> {
  const isTouched = ({ lines: [first, last] }: Declaration): boolean =>
    lines === null || lines.some((line) => line >= first && line <= last);
  const names = module.declarations.filter(isTouched).map(({ name }) => name);
  // What stands above all declarations, such as an import, may be used by any.
  const above = lines?.some((line) => line < (module.declarations[0]?.lines[0] ?? 1)) === true;
  return exportsUsing(module, new Set(above ? module.declarations.map(({ name }) => name) : names));
}

/** Steps from a change to each test file that it reaches, `most` of them at most; 0: the test file itself has changed. */
export function reach(modules: Modules, touched: Touched, most: number): Map<string, number> {
  const importers = Map.groupBy(
    [...modules].flatMap(([path, { edges }]) => edges.map((edge) => ({ path, edge }))),
    ({ edge }) => edge.from,
  );
  const steps = new Map<string, number>();
  const seen = new Map<string, Set<string>>();
  let front = new Map<string, Set<string>>();
  for (const [path, lines] of touched) {
    const module = modules.get(path);
    if (module === undefined) continue;
    if (isTest(path)) steps.set(path, 0);
    else front.set(path, touchedNames(module, lines));
  }
  for (let step = 1; step <= most && front.size > 0; step++) {
    const next = new Map<string, Set<string>>();
    const visit = (from: string, names: ReadonlySet<string>): void => {
      for (const { path, edge } of importers.get(from) ?? []) {
        const used = edge.names === null ? names : new Set(edge.names.filter((name) => names.has(name)));
        if (used.size === 0) continue;
        // A file that only passes on is no step.
        if (edge.isPassedOn) visit(path, used);
        else if (isTest(path)) steps.set(path, Math.min(step, steps.get(path) ?? step));
        else
          add(path, edge.names === null ? everything(path) : exportsUsing(modules.get(path) ?? none, used));
      }
    };
    const add = (path: string, names: ReadonlySet<string>): void => {
      const known = seen.get(path) ?? new Set();
      const fresh = [...names].filter((name) => !known.has(name));
      seen.set(path, new Set([...known, ...fresh]));
      if (fresh.length > 0) next.set(path, new Set([...(next.get(path) ?? []), ...fresh]));
    };
    const everything = (path: string): Set<string> =>
      new Set(
        (modules.get(path) ?? none).declarations
          .filter(({ isExported }) => isExported)
          .map(({ name }) => name),
      );
    for (const [path, names] of front) visit(path, names);
    front = next;
  }
  return steps;
}

const none: Module = { edges: [], declarations: [] };
const isTest = (path: string): boolean => path.endsWith('.test.ts');
