/**
 * Rules of a crawl on one page. They need a tree of the page, which may take any time and memory, as selectors may: so
 * this is done in a thread with a budget. A process that meets no rules has no such thread.
 */
import { extname } from 'node:path';
import type { RuledPage } from '../contracts/extraction.ts';
import type { PageRules } from '../contracts/page-rules.ts';
import type { Cut } from '../domain/limits.ts';
import { BudgetedThread, type Overrun } from './budgeted-thread.ts';
import { bodyKind, parseContentType } from './media.ts';
import type { RulesAnswer, RulesTask } from './rules/thread.ts';

/** A usual page takes some ten milliseconds, and a few megabytes. */
const budget = { heapMb: 256, bufferBytes: 256 * 1024 * 1024, workMs: 10_000 };

/** One for the process. */
let thread: BudgetedThread<RulesTask, RulesAnswer> | null = null;

/** Null: the body is no markup, so there is nothing to select. Never throws for what a body holds. */
export async function applyRules(
  body: Uint8Array,
  contentType: string | null,
  url: string,
  rules: PageRules,
): Promise<RuledPage | null> {
  const kind = bodyKind(parseContentType(contentType), body);
  if (kind === null || kind === 'text') return null;
  thread ??= rulesThread(budget);
  const copy = Uint8Array.from(body);
  const read = await thread.run({ body: copy, contentType, url, rules }, [copy.buffer]);
  return typeof read === 'string' ? { fields: null, unread: [], parts: null, cut: reasons[read] } : read;
}

/** @param limits of time and memory for each page */
export const rulesThread = (limits: typeof budget): BudgetedThread<RulesTask, RulesAnswer> =>
  new BudgetedThread(new URL(`rules/thread${extname(import.meta.filename)}`, import.meta.url), limits);

const reasons: Readonly<Record<Overrun | 'too-deep', Cut>> = {
  'too-slow': { rulesTooSlow: 1 },
  'too-much-memory': { rulesTooMuchMemory: 1 },
  'too-deep': { rulesTooMuchMemory: 1 },
  'broke-down': { brokenRules: 1 },
};
