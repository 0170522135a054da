/** Adds to the parts of a process the books, the caps and the admission that all its work shares. */
import { notify, type Pool } from '../storage/postgres/index.ts';
import { Admission } from './admission/admission.ts';
import { LinkTally } from './admission/link-tally.ts';
import { Bells } from './bells.ts';
import { openBooks } from './books/books.ts';
import { CapBook } from './caps/cap-book.ts';
import { Caps } from './caps/caps.ts';
import { PermitKeeper } from './caps/permit-keeper.ts';
import { RenderingOffer } from './rendering/offer.ts';
import { Soft404 } from './soft-404/soft-404.ts';
import { Pressure } from './pressure/pressure.ts';
import { SessionBook } from './sessions/session-book.ts';
import { TrapWatch } from './traps/trap-watch.ts';
import type { Dependencies } from './dependencies.ts';
import type { WakeHosts } from './host-waker.ts';

export type Parts = Omit<
  Dependencies,
  | 'books'
  | 'bells'
  | 'caps'
  | 'pressure'
  | 'admission'
  | 'links'
  | 'traps'
  | 'soft404'
  | 'sessions'
  | 'rendering'
>;

/** @param urgent see `openBooks` */
export function assemble(parts: Parts, urgent: Pool = parts.pool): Dependencies {
  const { settings, fetcher, log } = parts;
  const bells = new Bells((text) => notify(urgent, text), log);
  const wakeHosts: WakeHosts = (hostIds) => {
    const ids = [...hostIds];
    parts.wakeHosts(ids);
    bells.ring('found', ids);
  };
  const books = openBooks(parts.pool, settings, urgent);
  const keeper = new PermitKeeper(urgent, settings.leaseMs, log);
  const caps = new Caps(new CapBook(urgent, settings.caps), keeper, fetcher);
  const pressure = new Pressure(urgent, parts.writer, settings.capacities, parts.folder);
  const blobs = pressure.counted(parts.blobs);
  const links = new LinkTally(parts.pool, books);
  const traps = new TrapWatch(parts, books, settings.trapPages);
  const admission = new Admission({ seen: parts.seen, wakeHosts }, books);
  const rendering = new RenderingOffer(urgent);
  const soft404 = new Soft404({ ...parts, blobs }, books.crawls, admission);
  const sessions = new SessionBook(parts.pool, parts.keys);
  const own = { books, bells, caps, pressure, admission, links, traps, soft404, sessions, rendering };
  return { ...parts, ...own, blobs };
}
