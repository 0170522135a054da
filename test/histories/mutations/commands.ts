/**
 * Finds the calls in workflow code that send commands to Temporal: those of the SDK that do so by themselves, and calls
 * of functions of ours that lead to one. What a call leads to is told by the compiler's types, not by names.
 */
import { dirname, join } from 'node:path';
import ts from 'typescript';

export const root = join(import.meta.dirname, '..', '..', '..');

/** `handler`: registers a message handler. `wait`: a wait without a timer. `end`: a `return` that ends a workflow. */
export type PointKind = 'command' | 'handler' | 'wait' | 'end';

/** A place at which a workflow sends commands. */
export interface Point {
  readonly kind: PointKind;
  readonly source: ts.SourceFile;
  /** The call with its `await`; for `end` the statement. */
  readonly node: ts.Expression | ts.Statement;
  /** The function that is called. */
  readonly called: string;
}

export interface WorkflowCode {
  readonly modules: readonly ts.SourceFile[];
  readonly points: readonly Point[];
  /** The workflow types that a module takes part in. */
  typesOf(source: ts.SourceFile): readonly string[];
}

/** Functions and methods of the SDK that send commands. */
const ofTheSdk = new Set([
  ...[
    'condition',
    'sleep',
    'continueAsNew',
    'upsertSearchAttributes',
    'upsertMemo',
    'patched',
    'deprecatePatch',
  ],
  ...['startChild', 'executeChild', 'signal', 'cancel', 'setHandler'],
]);

export function workflowCode(): WorkflowCode {
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path));
  const { options } = ts.convertCompilerOptionsFromJson(
    (config.config as { compilerOptions: unknown }).compilerOptions,
    root,
  );
  const index = join(root, 'workflows', 'index.ts');
  const program = ts.createProgram([index], { ...options, incremental: false });
  return new CodeReader(program, index).read();
}

class CodeReader {
  readonly #checker: ts.TypeChecker;
  readonly #index: ts.SourceFile;
  readonly #modules: readonly ts.SourceFile[];
  /** Declarations of functions that send commands, and of properties, variables and parameters that hold such functions. */
  readonly #sending = new Set<ts.Declaration>();

  constructor(program: ts.Program, index: string) {
    this.#checker = program.getTypeChecker();
    const found = program.getSourceFile(index);
    if (found === undefined) throw new Error(`there is no ${index}`);
    this.#index = found;
    this.#modules = program.getSourceFiles().filter(({ fileName }) => dirname(fileName) === dirname(index));
  }

  read(): WorkflowCode {
    for (let known = -1; known < this.#sending.size;) {
      known = this.#sending.size;
      for (const source of this.#modules) this.#spread(source);
    }
    const points: Point[] = [];
    for (const source of this.#modules) this.#collect(source, source, points);
    const types = new Map<ts.SourceFile, string[]>();
    for (const [type, source] of this.#workflows())
      for (const each of this.#imports(source)) types.set(each, [...(types.get(each) ?? []), type]);
    return { modules: this.#modules, points, typesOf: (source) => types.get(source) ?? [] };
  }

  // What sends commands --------------------------------------------------------------------------------------------------

  /** Marks what encloses, holds or is handed something that sends commands. */
  #spread(node: ts.Node): void {
    if (isName(node) && this.#sends(node)) {
      this.#markArgument(node);
      for (let at: ts.Node = node; !ts.isSourceFile(at); at = at.parent) this.#markOwner(at, node);
    }
    ts.forEachChild(node, (child) => {
      this.#spread(child);
    });
  }

  #markOwner(owner: ts.Node, reference: ts.Node): void {
    if (ts.isFunctionDeclaration(owner) || ts.isMethodDeclaration(owner)) {
      if (owner.name !== undefined && owner.name !== reference) this.#mark(this.#symbol(owner.name));
    } else if (ts.isVariableDeclaration(owner) || ts.isPropertyDeclaration(owner)) {
      const symbol = ts.isObjectBindingPattern(owner.name) ? undefined : this.#symbol(owner.name);
      const holdsFunction =
        symbol !== undefined && this.#checker.getTypeOfSymbol(symbol).getCallSignatures().length > 0;
      if (owner.name !== reference && holdsFunction) this.#mark(symbol);
    } else if (ts.isPropertyAssignment(owner) && owner.name !== reference && isFunction(owner.initializer)) {
      const type = this.#checker.getContextualType(owner.parent);
      if (type !== undefined)
        this.#mark(this.#checker.getNonNullableType(type).getProperty(owner.name.getText()));
    } else if (isFunction(owner)) this.#markArgument(owner);
  }

  /** A function that is an argument: the parameter that takes it sends commands. */
  #markArgument(node: ts.Node): void {
    const argument =
      ts.isPropertyAccessExpression(node.parent) && node.parent.name === node ? node.parent : node;
    const call = argument.parent;
    if (!ts.isCallExpression(call)) return;
    const at = call.arguments.indexOf(argument as ts.Expression);
    const parameters = this.#checker.getResolvedSignature(call)?.declaration?.parameters ?? [];
    const parameter = at < 0 ? undefined : parameters[Math.min(at, parameters.length - 1)];
    if (parameter !== undefined && !ts.isJSDocParameterTag(parameter))
      this.#mark(this.#symbol(parameter.name));
  }

  #mark(symbol: ts.Symbol | undefined): void {
    for (const declaration of symbol?.declarations ?? [])
      if (this.#modules.includes(declaration.getSourceFile())) this.#sending.add(declaration);
  }

  #symbol(name: ts.Node): ts.Symbol | undefined {
    const symbol = this.#checker.getSymbolAtLocation(name);
    const isAlias = symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0;
    return isAlias ? this.#checker.getAliasedSymbol(symbol) : symbol;
  }

  #sends(name: ts.Node): boolean {
    const symbol = this.#symbol(name);
    if (symbol === undefined) return false;
    const isOurs = symbol.declarations?.some((declaration) => this.#sending.has(declaration)) === true;
    return isOurs || isActivity(symbol) || isOfSdk(symbol);
  }

  // Points ---------------------------------------------------------------------------------------------------------------

  #collect(node: ts.Node, source: ts.SourceFile, points: Point[]): void {
    if (ts.isCallExpression(node)) this.#collectCall(node, source, points);
    if (ts.isReturnStatement(node) && this.#endsWorkflow(node))
      points.push({ kind: 'end', source, node, called: 'return' });
    ts.forEachChild(node, (child) => {
      this.#collect(child, source, points);
    });
  }

  #collectCall(call: ts.CallExpression, source: ts.SourceFile, points: Point[]): void {
    const [first] = call.arguments;
    const name = ts.isPropertyAccessExpression(call.expression) ? call.expression.name : call.expression;
    const called = name.getText();
    const inStatement = ts.findAncestor(call, isStatementOfBlock) !== undefined;
    if (!inStatement) return;
    const add = (kind: PointKind): void => {
      points.push({ kind, source, node: outermost(call), called });
    };
    if (called === 'setHandler' && first !== undefined) {
      const type = this.#checker.typeToString(this.#checker.getTypeAtLocation(first));
      if (!type.startsWith('QueryDefinition')) add('handler');
    } else if (called === 'condition') add(call.arguments.length > 1 ? 'command' : 'wait');
    else if (this.#sends(name)) add('command');
    else if (call.arguments.some((each) => isName(lastName(each)) && this.#sends(lastName(each))))
      add('command');
  }

  #endsWorkflow(statement: ts.ReturnStatement): boolean {
    const owner = ts.findAncestor(statement, isFunctionLike);
    if (owner === undefined || !ts.isFunctionDeclaration(owner) || owner.name === undefined) return false;
    return this.#workflows().some(([type]) => type === owner.name?.text);
  }

  // Modules --------------------------------------------------------------------------------------------------------------

  /** The workflow types with their modules. */
  #workflows(): (readonly [string, ts.SourceFile])[] {
    const index = this.#symbol(this.#index);
    const exported = index === undefined ? [] : this.#checker.getExportsOfModule(index);
    return exported.flatMap((symbol) => {
      const target =
        (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : this.#checker.getAliasedSymbol(symbol);
      const source = target.valueDeclaration?.getSourceFile();
      return source === undefined ? [] : [[symbol.name, source] as const];
    });
  }

  /** A module and all that it imports, in workflow code. */
  #imports(source: ts.SourceFile, known = new Set<ts.SourceFile>()): ReadonlySet<ts.SourceFile> {
    known.add(source);
    for (const statement of source.statements) {
      if (!ts.isImportDeclaration(statement)) continue;
      const target = this.#symbol(statement.moduleSpecifier)?.valueDeclaration;
      if (
        target !== undefined &&
        ts.isSourceFile(target) &&
        this.#modules.includes(target) &&
        !known.has(target)
      )
        this.#imports(target, known);
    }
    return known;
  }
}

const isName = (node: ts.Node): boolean => ts.isIdentifier(node) || ts.isPrivateIdentifier(node);
const isFunction = (node: ts.Node): boolean => ts.isArrowFunction(node) || ts.isFunctionExpression(node);
const isFunctionLike = (node: ts.Node): boolean =>
  isFunction(node) || ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node);
const lastName = (node: ts.Node): ts.Node => (ts.isPropertyAccessExpression(node) ? node.name : node);
export const isStatementOfBlock = (node: ts.Node): node is ts.Statement =>
  ts.isStatement(node) && (ts.isBlock(node.parent) || ts.isCaseClause(node.parent));

/** An activity: a name that is taken from `proxyActivities`. */
function isActivity(symbol: ts.Symbol): boolean {
  const declaration = symbol.declarations?.[0];
  if (declaration === undefined || !ts.isBindingElement(declaration)) return false;
  const { initializer } = declaration.parent.parent as ts.VariableDeclaration;
  return (
    initializer !== undefined &&
    ts.isCallExpression(initializer) &&
    /^proxy(Local)?Activities$/.test(initializer.expression.getText())
  );
}

function isOfSdk(symbol: ts.Symbol): boolean {
  const file = symbol.declarations?.[0]?.getSourceFile().fileName ?? '';
  return file.includes('/@temporalio/workflow/') && ofTheSdk.has(symbol.name);
}

/** The call with what is done with its promise: `.then(…)` and `await`. */
function outermost(call: ts.Expression): ts.Expression {
  const { parent } = call;
  if (ts.isParenthesizedExpression(parent) || ts.isAwaitExpression(parent)) return outermost(parent);
  if (ts.isPropertyAccessExpression(parent) && ts.isCallExpression(parent.parent)) {
    return parent.parent.expression === parent ? outermost(parent.parent) : call;
  }
  return call;
}
