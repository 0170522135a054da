/** Adds to the parts of a process the books and the admission that all its work shares. */
import type { Pool } from '../storage/postgres/index.ts';
import { Admission } from './admission/admission.ts';
import { LinkTally } from './admission/link-tally.ts';
import { openBooks } from './books/books.ts';
import { TrapWatch } from './traps/trap-watch.ts';
import type { Dependencies } from './dependencies.ts';

export type Parts = Omit<Dependencies, 'books' | 'admission' | 'links' | 'traps'>;

/** @param urgent see `openBooks` */
export function assemble(parts: Parts, urgent?: Pool): Dependencies {
  const books = openBooks(parts.pool, parts.settings, urgent);
  const links = new LinkTally(parts.pool, books);
  const traps = new TrapWatch(parts, books.crawls);
  return { ...parts, books, admission: new Admission(parts, books), links, traps };
}
