/**
 * Patterns of a crawl's filters over canonical URLs: globs, and, after `re:`, regular expressions, which may match
 * anywhere in the URL. They are here and not in domain/, since the engine is a package.
 *
 * The engine is RE2's: a match takes at most (size of the expression) × (length of the URL) steps for any expression.
 * JavaScript's own engine can take time exponential in the length, on the thread that does all other work of a worker.
 */
import { createRequire } from 'node:module';
import type * as Re2 from 're2js';
import { compilePattern, validatePattern, type PatternMatcher } from '../domain/pattern.ts';

/** The engine takes 70 ms to load. It is loaded with the first expression: most processes and verbs never see one. */
const load = createRequire(import.meta.url);
const compileExpression = (expression: string): Re2.RE2JS =>
  (load('re2js') as typeof Re2).RE2JS.compile(expression);

/** The mark of a regular expression; no canonical URL begins with it. */
const expressionMark = 're:';

/** Steps of all expressions of a list together (`stepsOf`). */
const maxExpressionSize = 1_000;
const maxExpressionLength = 1_000;

const isExpression = (pattern: string): boolean => pattern.startsWith(expressionMark);

const expressionIn = (pattern: string): string => pattern.slice(expressionMark.length);

/** Compiled once, then cheap to call. The pattern must be one in which `patternProblems` finds no fault. */
export function compileUrlPattern(pattern: string): PatternMatcher {
  if (!isExpression(pattern)) return compilePattern(pattern);
  const compiled = compileExpression(expressionIn(pattern));
  return (url) => compiled.test(url);
}

/** Why patterns of a list cannot be used, by their places in the list, each in a sentence for people. */
export function patternProblems(
  patterns: readonly string[],
): { readonly at: number; readonly message: string }[] {
  const problems: { at: number; message: string }[] = [];
  let size = 0;
  for (const [at, pattern] of patterns.entries()) {
    const read = isExpression(pattern) ? readExpression(expressionIn(pattern)) : validatePattern(pattern);
    if (typeof read === 'string') problems.push({ at, message: read });
    if (typeof read !== 'number') continue;
    size += read;
    if (size <= maxExpressionSize) continue;
    const message =
      `the regular expressions up to here have ${size.toLocaleString('en-US')} steps together, ` +
      `${maxExpressionSize.toLocaleString('en-US')} are allowed; x{n} counts as n times x`;
    return [...problems, { at, message }];
  }
  return problems;
}

/** Its size, or why it cannot be used. */
function readExpression(expression: string): number | string {
  if (expression === '') return 'the regular expression is empty';
  if (expression.length > maxExpressionLength)
    return `the regular expression has ${String(expression.length)} characters; ${String(maxExpressionLength)} are allowed`;
  const stranger = /[^\x20-\x7e]/.exec(expression)?.[0];
  if (stranger !== undefined)
    return `no URL can match ${JSON.stringify(stranger)}: canonical URLs are plain ASCII; write it percent-encoded`;
  if (expression.includes(String.raw`\Q`))
    return String.raw`\Q is not understood; write \ before each character`;
  const steps = stepsOf(expression);
  if (steps > maxExpressionSize) return steps;
  try {
    compileExpression(expression);
    return steps;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return `the regular expression cannot be read: ${error.message.replace(/^error parsing regexp: /, '')}`;
  }
}

const token = /\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|./g;

/**
 * About the size to which an expression compiles, within a factor of two, without compiling it: compiling takes seconds
 * for large ones. Each character or class is one step, times the number of its repetitions.
 */
function stepsOf(expression: string): number {
  const open: number[] = [];
  let steps = 0;
  /** Steps of the last part, which a repetition would repeat. */
  let last = 0;
  for (const [text, least, most] of expression.matchAll(token)) {
    if (text === '(') {
      open.push(steps);
      steps = 0;
    } else if (text === ')') {
      last = steps + 1;
      steps = (open.pop() ?? 0) + last;
    } else if (least === undefined) {
      last = 1;
      steps += 1;
    } else {
      const times = Math.max(Number(least), Number(most ?? 0), 1);
      steps += last * (times - 1);
      last *= times;
    }
  }
  return open.reduce((sum, outer) => sum + outer, steps);
}
