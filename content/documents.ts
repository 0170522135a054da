/** Documents that are no markup: the title, text and links of a PDF. A process that meets none has no thread for them. */
import { extname } from 'node:path';
import type { ReadDocument } from '../contracts/extraction.ts';
import type { Cut } from '../domain/limits.ts';
import { BudgetedThread, type Overrun } from './budgeted-thread.ts';
import type { DocumentText, Unreadable } from './documents/pdf.ts';
import { titleOfText } from './documents/title.ts';
import { isPdf, parseContentType } from './media.ts';

/** Larger documents are not read. */
const mostBytes = 64 * 1024 * 1024;

/** Is the body such a document? */
export const isDocument = (contentType: string | null, body: Uint8Array): boolean =>
  isPdf(parseContentType(contentType), body);

/** One for the process. */
let thread: BudgetedThread<Uint8Array, DocumentText | Unreadable> | null = null;

/** Reads a document within its budget. Never throws for what a body holds. */
export async function readDocument(body: Uint8Array): Promise<ReadDocument> {
  if (body.length > mostBytes) return unread({ documentsTooLarge: 1 });
  thread ??= new BudgetedThread(
    new URL(`documents/thread${extname(import.meta.filename)}`, import.meta.url),
    {
      heapMb: 256,
      bufferBytes: 512 * 1024 * 1024,
      workMs: 30_000,
    },
  );
  const data = Uint8Array.from(body);
  const read = await thread.run(data, [data.buffer]);
  if (typeof read === 'string') return unread(reasons[read]);
  const { title, text, links, leftOut } = read;
  return {
    title: title ?? titleOfText(text),
    text,
    links,
    cut: { documentPages: leftOut.pages, text: leftOut.characters, links: leftOut.links },
  };
}

const reasons: Readonly<Record<Overrun | Unreadable, Cut>> = {
  'too-slow': { documentsTooSlow: 1 },
  'too-much-memory': { documentsTooMuchMemory: 1 },
  'broke-down': { brokenDocuments: 1 },
  broken: { brokenDocuments: 1 },
  locked: { lockedDocuments: 1 },
};

const unread = (cut: Cut): ReadDocument => ({ title: null, text: '', links: [], cut });
