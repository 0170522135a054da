/**
 * Soft 404 (F29): asks hosts for made-up paths, and says of pages that are read whether they look like the answer. A
 * made-up path is a URL of the crawl like any other: it passes robots.txt, scope, opt-outs, the host's delay and its
 * quota on its way. A crawl asks a host once a day at most, and only about a folder from which pages were read: for one
 * path, and for a second one if it answers the first with a page. Each crawl asks for itself: what a host answers depends
 * on the headers that the crawl sends, and no crawl is to find less because another one asked.
 */
import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { readShown } from '../../content/extract.ts';
import type { Extracted } from '../../contracts/extraction.ts';
import { urlKey } from '../../contracts/url-key.ts';
import {
  folderOf,
  isAbove,
  isMissing,
  judgeBeside,
  judgeProbe,
  madeUpSibling,
  type ProbeAnswer,
  type ProbedSite,
  type ProbeVerdict,
  type TextSign,
} from '../../domain/soft-404/judge.ts';
import { printAnswer, type AnswerPrint } from '../../domain/soft-404/print.ts';
import { quarantineDetail } from '../../domain/traps/verdict.ts';
import { storedKinds } from '../../domain/url-kind.ts';
import { canonicalize } from '../../domain/url.ts';
import type { BodyStore } from '../../storage/archive/index.ts';
import type { FrontierWriter } from '../../storage/frontier/index.ts';
import type { PageRow, StagedBody } from '../../storage/pages/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import {
  claimMadeUp,
  claimSecond,
  holdBySign,
  holdMissing,
  holdRepeated,
  noteJudged,
  openMadeUp,
  pagesReadBefore,
} from '../../storage/traps/index.ts';
import type { Admission } from '../admission/admission.ts';
import { candidate } from '../admission/candidates.ts';
import type { CrawlBook, OpenCrawl } from '../books/crawl-book.ts';
import { lastUsed } from '../last-used.ts';

/** Pages of a host that are read before it is asked: a host with fewer is not worth a request. */
const fewestPages = 3;
/** Words of a page beside which a path is made up. */
const fewestWords = 20;
/** Repeated texts are looked for after so many pages of a host, and again each time their number has doubled. */
const firstLook = 20;
/** Most pages, those read last, that are looked at again when a host turns out to answer made-up paths. */
const mostLookedAt = 500;
/** An answer that is like the page beside which its path was made up is compared with so many other pages at most. */
const mostBeside = 9;
/** Milliseconds after which a host that could not be asked is tried again. */
const retryMs = 3_600_000;
const hostsKept = 20_000;

interface AtHost {
  /** Pages that were read and stored. */
  pages: number;
  /** Pages beside which a path could have been made up. */
  met: number;
  /** Folders that were asked about. */
  readonly asked: Set<string>;
  /** Milliseconds since 1970. */
  notBefore: number;
}

interface Parts {
  readonly pool: Pool;
  readonly writer: FrontierWriter;
  readonly blobs: BodyStore;
  readonly log: Logger;
}

export class Soft404 {
  readonly #parts: Parts;
  readonly #crawls: Pick<CrawlBook, 'open' | 'forget'>;
  readonly #admission: Admission;
  readonly #hosts = lastUsed<string, AtHost>(hostsKept);

  constructor(parts: Parts, crawls: Pick<CrawlBook, 'open' | 'forget'>, admission: Admission) {
    this.#parts = parts;
    this.#crawls = crawls;
    this.#admission = admission;
  }

  /** The detail under which a page is held that looks like one that is not there; null: it does not. */
  heldAs(
    crawl: OpenCrawl,
    staged: StagedBody,
    { title, whole: { text } }: Extracted,
    hash: PageRow['text_hash'],
  ): string | null {
    const signs = crawl.errorSigns(staged.origin);
    if (signs.length === 0 || staged.seed) return null;
    const path = pathOf(staged.url);
    if (isAbove(path)) return null;
    const found = signs.find(({ sign }) => {
      if (sign.kind === 'repeated') return sign.text === hash;
      return sign.kind === 'text' && !isAbove(path, sign) && isMissing(sign, printAnswer(title, text, path));
    });
    return found === undefined ? null : quarantineDetail(found.id, found.shape);
  }

  /**
   * Asks the host for a path beside a page that was read, if that is due. The caller must do so before the page is
   * stored, since the crawl might end with its last page.
   */
  async ask(crawl: OpenCrawl, staged: StagedBody, extracted: Extracted): Promise<void> {
    if (!crawl.config.soft404 || staged.kind !== storedKinds.page) return;
    const host = this.#at(crawl, staged);
    const path = pathOf(staged.url);
    const folder = folderOf(path);
    host.met++;
    const due = host.met >= fewestPages && Date.now() >= host.notBefore && !host.asked.has(folder);
    if (!due || isAbove(path) || extracted.whole.words < fewestWords) return;
    host.notBefore = Date.now() + retryMs;
    if (await this.#ask(crawl, staged, path, folder, extracted)) host.asked.add(folder);
  }

  /** Pages that were stored, read or not, since their bodies are those of others; none of them is held. */
  async stored(bodies: readonly StagedBody[]): Promise<void> {
    for (const body of bodies) {
      const crawl = await this.#crawls.open(body.crawl_id);
      if (crawl.config.soft404 && body.kind === storedKinds.page) await this.#count(crawl, body);
    }
  }

  /** The answer to a made-up path that has a body. */
  async answered(staged: StagedBody, { title, whole: { text }, meta }: Extracted): Promise<void> {
    const { pool } = this.#parts;
    const [asked] = await openMadeUp(pool, staged.host_id, staged.crawl_id, staged.key);
    if (asked === undefined) return;
    const probe = { status: 200, redirectTo: null, path: pathOf(staged.url), title, text };
    const verdict = await this.#judge(staged, { ...probe, needs: meta.needs ?? null }, asked);
    if (verdict.kind === 'soft' && verdict.sign.kind === 'text') {
      const { sign } = verdict;
      const row = await holdBySign(pool, staged, asked.shape, sign, { redirects: 0 });
      if (row !== null) {
        // Pages that are read from now on are judged by the sign; those that were read before are read once more.
        this.#crawls.forget(staged.crawl_id);
        await this.#holdReadBefore(staged, sign, row);
        if (asked.first === null && (await this.#askAgain(staged, asked.shape, sign))) return;
      }
    }
    await noteJudged(pool, staged.host_id, staged.crawl_id);
  }

  async #holdReadBefore(
    staged: StagedBody,
    sign: TextSign,
    row: { readonly id: string; readonly shape: string },
  ): Promise<void> {
    const { pool, log } = this.#parts;
    const missing: string[] = [];
    for await (const { key, print } of this.#readBefore(staged, sign, mostLookedAt))
      if (isMissing(sign, print)) missing.push(key);
    const held = await holdMissing(pool, staged, missing, row);
    log.info({ host: staged.origin, held }, 'a host answers made-up paths as if they were pages');
  }

  /** Pages of the crawl that were read at the host, with what they say, those read last first. */
  async *#readBefore(
    { host_id, crawl_id }: StagedBody,
    beside: Pick<TextSign, 'at'>,
    most: number,
  ): AsyncGenerator<{ readonly key: string; readonly print: AnswerPrint }> {
    const { pool, blobs } = this.#parts;
    for (const page of await pagesReadBefore(pool, host_id, crawl_id, most)) {
      const path = pathOf(page.url);
      const body = isAbove(path, beside) ? null : await blobs.get(page.content_hash);
      if (body === null) continue;
      const { text } = readShown(body, page.content_type, page.url);
      yield { key: page.key, print: printAnswer(page.title, text, path) };
    }
  }

  async #judge(staged: StagedBody, answer: ProbeAnswer, asked: ProbedSite): Promise<ProbeVerdict> {
    const verdict = judgeProbe(answer, asked);
    if (verdict.kind !== 'alike') return verdict;
    const others: AnswerPrint[] = [];
    for await (const { print } of this.#readBefore(staged, { at: answer.path }, mostBeside))
      others.push(print);
    return judgeBeside(answer, asked, others);
  }

  /**
   * Asks for a second path beside the first: what only one of both answers says is there by chance. False: it is not
   * asked for. If the process dies before the path is stored, the first answer is all that is known.
   */
  async #askAgain(staged: StagedBody, folder: string, { made, sibling }: TextSign): Promise<boolean> {
    const { pool, writer } = this.#parts;
    const crawl = await this.#crawls.open(staged.crawl_id);
    const path = madeUpSibling(pathOf(staged.url), tokenFor(`${staged.origin}${folder} again`));
    const second = canonicalize(staged.origin + path);
    if (!second.ok) return false;
    const key = urlKey(second.value.canonical).toString('hex');
    const place = [staged.host_id, crawl.id, staged.key] as const;
    const site = JSON.stringify({ ...sibling, first: made });
    if ((await claimSecond(pool, ...place, key, site)).length === 0) return false;
    await this.#admission.store(writer, [candidate(crawl, second.value, { in: 'thin-air', page: staged })]);
    return true;
  }

  #at(crawl: OpenCrawl, staged: StagedBody): AtHost {
    const name = `${String(crawl.id)} ${String(staged.host_id)}`;
    const host = this.#hosts.get(name) ?? { pages: 0, met: 0, asked: new Set(), notBefore: 0 };
    this.#hosts.set(name, host);
    return host;
  }

  async #count(crawl: OpenCrawl, staged: StagedBody): Promise<void> {
    const host = this.#at(crawl, staged);
    host.pages++;
    if (host.pages % firstLook === 0 && Number.isInteger(Math.log2(host.pages / firstLook)))
      await this.#lookForRepeated(staged);
  }

  async #lookForRepeated(staged: StagedBody): Promise<void> {
    const { pool, log } = this.#parts;
    const held = await holdRepeated(pool, staged);
    if (held === null) return;
    this.#crawls.forget(staged.crawl_id);
    log.info({ host: staged.origin, held }, 'many pages of a host have the same text');
  }

  /** False: the crawl asked the host within a day, from another process; the folder is asked about later. */
  async #ask(
    crawl: OpenCrawl,
    staged: StagedBody,
    path: string,
    folder: string,
    { title, whole: { text } }: Extracted,
  ): Promise<boolean> {
    const made = canonicalize(staged.origin + madeUpSibling(path, tokenFor(staged.origin + folder)));
    if (!made.ok) return true;
    const { pool, writer } = this.#parts;
    const key = urlKey(made.value.canonical).toString('hex');
    const sibling = JSON.stringify(printAnswer(title, text, path));
    if ((await claimMadeUp(pool, staged.host_id, crawl.id, key, folder, sibling)).length === 0) return false;
    await this.#admission.store(writer, [candidate(crawl, made.value, { in: 'thin-air', page: staged })]);
    return true;
  }
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** Sixteen letters that no path has by chance, the same for the same folder. */
const tokenFor = (folder: string): string =>
  [...createHash('sha256').update(folder).digest().subarray(0, 16)]
    .map((byte) => String.fromCharCode(97 + (byte % 26)))
    .join('');
