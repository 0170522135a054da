/** Makes the mutants of workflow code: each point at which commands are sent is removed, doubled and moved. */
import { relative } from 'node:path';
import ts from 'typescript';
import { isStatementOfBlock, root, type Point, type WorkflowCode } from './commands.ts';

export interface Mutant {
  /** Says where it is and what was done; it has no line numbers, so that it stays the same while code around it changes. */
  readonly name: string;
  /** Path of its module in the repository. */
  readonly path: string;
  /** The whole text of the module. */
  readonly text: string;
  /** Workflow types that the module takes part in. */
  readonly types: readonly string[];
}

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

export function mutantsOf(code: WorkflowCode): readonly Mutant[] {
  const mutants = new Map<string, Mutant>();
  const counts = new Map<string, number>();
  for (const point of code.points) {
    const { source } = point;
    const file = relative(`${root}/workflows`, source.fileName);
    const where = `${file} ${placeOf(point.node)}: ${point.called}`;
    const count = (counts.get(where) ?? 0) + 1;
    counts.set(where, count);
    for (const [what, edits] of editsOf(point)) {
      const name = `${where}${count === 1 ? '' : ` (${String(count)})`} ${what}`;
      const text = edited(source.text, edits);
      const path = relative(root, source.fileName);
      // Two points in one statement are moved by the same edit.
      const key = `${path}\0${text}`;
      if (!mutants.has(key)) mutants.set(key, { name, path, text, types: code.typesOf(source) });
    }
  }
  return [...mutants.values()];
}

function* editsOf(point: Point): Generator<readonly [string, readonly Edit[]]> {
  const { node } = point;
  const alone = ts.isExpressionStatement(node.parent) ? node.parent : point.kind === 'end' ? node : null;
  const [from, to] = [(alone ?? node).getStart(), (alone ?? node).end];
  const text = (alone ?? node).getText();
  yield ['removed', [{ from, to, text: alone === null ? '(undefined)' : '{}' }]];
  // A handler that is registered twice is registered, and what was waited for once is there.
  if (point.kind === 'command')
    yield ['doubled', [{ from, to, text: alone === null ? `(${text}, ${text})` : `{ ${text} ${text} }` }]];
  const move = point.kind === 'handler' ? null : moved(node);
  if (move !== null) yield move;
}

/** The statement changes places with the next one, or with the one before it if that is not possible. */
function moved(node: ts.Node): readonly [string, readonly Edit[]] | null {
  const statement = ts.findAncestor(node, isStatementOfBlock);
  if (statement === undefined) return null;
  const { statements } = statement.parent as ts.Block | ts.CaseClause;
  const at = statements.indexOf(statement);
  for (const [other, where] of [
    [statements[at + 1], 'after'],
    [statements[at - 1], 'before'],
  ] as const) {
    if (other === undefined || isJump(other) || ts.isFunctionDeclaration(other)) continue;
    if (needs(statement, other) || needs(other, statement)) continue;
    const edits = [
      { from: statement.getStart(), to: statement.end, text: other.getText() },
      { from: other.getStart(), to: other.end, text: statement.getText() },
    ];
    return [`moved ${where} ${brief(other)}`, edits];
  }
  return null;
}

const isJump = (node: ts.Node): boolean =>
  ts.isReturnStatement(node) || ts.isThrowStatement(node) || ts.isBreakOrContinueStatement(node);

/** Does a statement use a name that another declares? Then no compiler would let them change places. */
function needs(user: ts.Statement, declarer: ts.Statement): boolean {
  if (!ts.isVariableStatement(declarer)) return false;
  const declared = new Set<string>();
  const declare = (name: ts.BindingName): void => {
    if (ts.isIdentifier(name)) declared.add(name.text);
    else for (const element of name.elements) if (ts.isBindingElement(element)) declare(element.name);
  };
  for (const { name } of declarer.declarationList.declarations) declare(name);
  const uses = (node: ts.Node): boolean =>
    (ts.isIdentifier(node) && declared.has(node.text)) ||
    ts.forEachChild(node, (child) => uses(child) || undefined) === true;
  return uses(user);
}

/** Names of the functions around a node; a function that is handed over goes by its first fellow argument. */
function placeOf(node: ts.Node): string {
  const names: string[] = [];
  for (let at = node.parent; !ts.isSourceFile(at); at = at.parent) {
    if (ts.isFunctionDeclaration(at) || ts.isMethodDeclaration(at)) names.unshift(at.name?.getText() ?? '');
    else if (ts.isPropertyAssignment(at) || (ts.isVariableDeclaration(at) && isArrow(at.initializer)))
      names.unshift(at.name.getText());
    else if (ts.isCallExpression(at) && at.expression.getText() === 'setHandler' && at !== node)
      names.unshift(at.arguments[0]?.getText() ?? '');
  }
  return names.join('/');
}

const isArrow = (node: ts.Node | undefined): boolean => node !== undefined && ts.isArrowFunction(node);

const brief = (node: ts.Node): string => {
  const text = node.getText().replace(/\s+/g, ' ');
  return `“${text.length > 50 ? `${text.slice(0, 49)}…` : text}”`;
};

function edited(text: string, edits: readonly Edit[]): string {
  let result = text;
  for (const edit of [...edits].sort((a, b) => b.from - a.from))
    result = result.slice(0, edit.from) + edit.text + result.slice(edit.to);
  return result;
}
