/**
 * The bodies of an instance in segments. Group commit: answers that come within a few milliseconds are appended by one
 * write and one sync. A record counts from the commit of its result on: what a crash leaves uncommitted is free.
 */
import type { Pool } from '../postgres/index.ts';
import { Gathering } from '../gathering.ts';
import type { BodyStore, Kept } from './body-store.ts';
import { formatOf, pack, packSmall, unpack, type SegmentFormat, type Unpack } from './member.ts';
import { OwnSegment, type SegmentRules } from './own-segment.ts';
import { findBody, findRevisit, forgetBody, knownBodies, type FoundRecord } from './records.sql.ts';
import type { SegmentStore } from './segment-store.ts';
import {
  madeRecord,
  payloadDigest,
  readRecord,
  responseRecords,
  revisitRecords,
  type Capture,
  type Made,
  type ReadRecord,
} from './warc.ts';

/** Milliseconds that each answer waits for others to be appended with. */
const gatherMs = 4;
/** Bytes of bodies after which an append takes no more. */
const appendBytes = 8 * 1024 * 1024;
/** Room for what a record holds beside its body. */
const headBytes = 512 * 1024;

interface Waiting {
  readonly capture: Capture;
  readonly settle: (kept: Kept) => void;
  readonly fail: (error: unknown) => void;
}

/** How many of the first answers are appended together. */
function together(waiting: readonly Waiting[]): number {
  let bytes = 0;
  const many = waiting.findIndex(({ capture }) => (bytes += capture.body.length) > appendBytes);
  return many < 0 ? waiting.length : Math.max(many, 1);
}

/** A record that is in the folder of other processes until its segment is closed. It is not gone. */
export class NotHereYet extends Error {
  constructor(segment: string) {
    super(`segment ${segment} is in a folder that this process does not have, until the segment is closed`);
    this.name = 'NotHereYet';
  }
}

type Open = (...member: [...Parameters<Unpack>, by: Unpack]) => ReturnType<Unpack>;
const plainly: Open = (packed, format, maxBytes, by) => by(packed, format, maxBytes);

/** Types of the records that bring bodies: of answers, and of what a browser made of pages. */
const bringing: ReadonlySet<string> = new Set(['response', 'conversion', 'resource']);

/** Reads what any process has stored. */
export class ArchiveReader {
  readonly #pool: Pool;
  readonly #store: SegmentStore;
  readonly #maxBytes: number;
  readonly #unpack: Unpack;

  /**
   * @param maxBodyBytes bytes that a body may have; a larger one counts as torn
   * @param by `unpackAside` where others are to be answered meanwhile
   */
  constructor(pool: Pool, store: SegmentStore, maxBodyBytes: number, by: Unpack = unpack) {
    this.#pool = pool;
    this.#store = store;
    this.#maxBytes = maxBodyBytes + headBytes;
    this.#unpack = by;
  }

  async get(hash: Uint8Array, at: FoundRecord | null = null): Promise<Uint8Array | null> {
    return (await this.answer(hash, at))?.body ?? null;
  }

  /**
   * The answer that first brought a body. Null: there is none, or it is torn and now forgotten.
   * @param open `unpackBoth` to have the request too
   * @throws NotHereYet
   */
  async answer(
    hash: Uint8Array,
    at: FoundRecord | null = null,
    open: Open = plainly,
  ): Promise<ReadRecord | null> {
    const digest = payloadDigest(hash);
    const isThat = ({ fields }: ReadRecord): boolean =>
      bringing.has(fields.get('warc-type') ?? '') && fields.get('warc-payload-digest') === digest;
    const { record, lost } = await this.#read(at, () => findBody(this.#pool, hash), isThat, open);
    if (lost !== null) await forgetBody(this.#pool, hash, lost.segment, lost.at);
    return record;
  }

  /**
   * The answer to a URL in a record of its own. Null: there is none, or it is about another body than this.
   * @param hash of the body, which another record holds; null: the answer is one whose body nobody else has
   * @param at where its record lies, if the caller knows
   * @param open `unpackBoth` to have the request too
   * @throws NotHereYet
   */
  async ownAnswer(
    hostId: number,
    crawlId: string,
    key: Uint8Array,
    hash: Uint8Array | null,
    at: FoundRecord | null = null,
    open: Open = plainly,
  ): Promise<ReadRecord | null> {
    const digest = hash === null ? null : payloadDigest(hash);
    const isThat = ({ fields }: ReadRecord): boolean =>
      digest === null
        ? fields.get('warc-type') === 'response'
        : fields.get('warc-type') === 'revisit' && fields.get('warc-payload-digest') === digest;
    return (await this.#read(at, () => findRevisit(this.#pool, hostId, crawlId, key), isThat, open)).record;
  }

  /**
   * A record that is not where it was may have been moved since the look at the table: then the table says another place.
   * @param first where to look first, without asking the table; null: ask
   */
  async #read(
    first: FoundRecord | null,
    find: () => Promise<FoundRecord[]>,
    isThat: (record: ReadRecord) => boolean,
    open: Open,
  ): Promise<{ readonly record: ReadRecord | null; readonly lost: FoundRecord | null }> {
    let asked = first === null;
    let tried: FoundRecord | null = null;
    for (let place = first ?? (await find())[0]; place !== undefined; [place] = await find()) {
      if (this.#isElsewhere(place)) {
        if (asked) throw new NotHereYet(place.name);
      } else {
        if (place.segment === tried?.segment && place.at === tried.at) return { record: null, lost: place };
        const packed = await this.#store.read(place.name, place.at, place.length);
        const bytes =
          packed === null ? null : await open(packed, formatOf(place.name), this.#maxBytes, this.#unpack);
        const record = bytes === null ? null : readRecord(bytes);
        if (record !== null && isThat(record)) return { record, lost: null };
        tried = place;
      }
      asked = true;
    }
    return { record: null, lost: null };
  }

  #isElsewhere({ folder }: FoundRecord): boolean {
    return this.#store.settles && folder !== null && folder !== this.#store.folder;
  }
}

export class Archive extends ArchiveReader implements BodyStore {
  readonly own: OwnSegment;
  readonly #pool: Pool;
  readonly #format: SegmentFormat;
  readonly #gathering = new Gathering<Waiting>(together, (batch) => this.#append(batch), gatherMs);

  constructor(pool: Pool, store: SegmentStore, maxBodyBytes: number, rules: SegmentRules) {
    super(pool, store, maxBodyBytes);
    this.#pool = pool;
    this.#format = rules.format;
    this.own = new OwnSegment(pool, store, rules);
  }

  put(capture: Capture, patienceMs = 0): Promise<Kept> {
    return new Promise((settle, fail) => {
      this.#gathering.add({ capture, settle, fail }, patienceMs);
    });
  }

  async #append(batch: readonly Waiting[]): Promise<void> {
    try {
      const isAlike = ({ capture: { alone, made } }: Waiting): boolean =>
        alone !== true && made === undefined;
      const hashes = batch.filter(isAlike).map(({ capture }) => capture.hash);
      const known = new Set((await knownBodies(this.#pool, hashes)).map(({ hash }) => hash.toString('hex')));
      const members = batch.map(({ capture }) => {
        if (capture.made !== undefined)
          return { known: false, packed: this.#packMade(capture.made, capture) };
        if (capture.alone === true) return { known: null, packed: this.#packWhole(capture) };
        // If the body of a 304 has gone meanwhile, the commit is refused, and the page is fetched whole.
        const isKnown =
          capture.unchangedSince !== undefined || known.has(Buffer.from(capture.hash).toString('hex'));
        return { known: isKnown, packed: isKnown ? this.#packHead(capture) : this.#packWhole(capture) };
      });
      const places = await this.own.append(members.map(({ packed }) => packed));
      for (const [at, { settle }] of batch.entries()) {
        const place = places[at];
        const member = members[at];
        if (place !== undefined && member !== undefined) settle({ ...place, known: member.known });
      }
    } catch (error) {
      for (const { fail } of batch) fail(error);
    }
  }

  /** The answer comes first, so that a reader needs no more than its beginning. */
  #packWhole(capture: Capture): Buffer {
    const { response, request } = responseRecords(capture);
    return Buffer.concat([pack(response, this.#format), packSmall(request, this.#format)]);
  }

  /** Also where the body is known: few pages look the same to the byte. */
  #packMade(made: Made, capture: Capture): Buffer {
    return pack(madeRecord(made, capture), this.#format);
  }

  #packHead(capture: Capture): Buffer {
    const { revisit, request } = revisitRecords(capture);
    return Buffer.concat([packSmall(revisit, this.#format), packSmall(request, this.#format)]);
  }
}
