/**
 * Regions as a process that fetches knows them: which are its own, which live, and where each host is fetched from now.
 * Postgres alone tells what lives, so that all processes choose alike.
 */
import type { VisitRegion } from '../../contracts/activities.ts';
import { homeOf, patienceMs, servedBy, type HostPlace, type Regions } from '../../domain/regions.ts';
import { hostPlaces, noteRegions, silentTimes } from '../../storage/instance/index.ts';
import { retrying, type Pool } from '../../storage/postgres/index.ts';

/** Milliseconds for which a look at what lives is used: short beside any time to take over. */
const lookMs = 1_000;

export class RegionBook {
  /** The place of an address, narrowest first; null: not known. */
  readonly placeOf: (address: string | null) => readonly string[] | null;
  readonly #pool: Pool;
  readonly #all: Regions;
  readonly #own: readonly string[];
  #seen: { readonly at: number; readonly silentMs: ReadonlyMap<string, number> } | null = null;

  constructor(
    pool: Pool,
    { all, own }: { readonly all: Regions; readonly own: readonly string[] },
    placeOf: RegionBook['placeOf'],
  ) {
    this.#pool = pool;
    this.#all = all;
    this.#own = own;
    this.placeOf = placeOf;
  }

  /** Says that this process is at work in its regions. */
  async note(): Promise<void> {
    await noteRegions(this.#pool, [...this.#all.nearest.keys()], this.#own);
  }

  /** Where the next visit of a host goes. */
  async choose(origin: string): Promise<VisitRegion> {
    const [place = { origin, set: null, place: null }] = await retrying(() =>
      hostPlaces(this.#pool, [origin]),
    );
    const silentMs = await this.#silent();
    const name = servedBy(this.#all, homeOf(this.#all, place).region, silentMs);
    return { name, patienceMs: Math.ceil(patienceMs(this.#all, silentMs.get(name) ?? Infinity)) };
  }

  /** Is the host fetched by this process now? */
  async isOurs(origin: string): Promise<boolean> {
    return this.#own.includes((await this.choose(origin)).name);
  }

  /** For the door: in whose queues it looks, and whose a host is that it met there; null: it may ask the host itself. */
  async atDoor(): Promise<{
    readonly queues: readonly string[];
    readonly homeElsewhere: (place: HostPlace) => string | null;
  }> {
    const silentMs = await this.#silent();
    const isServedHere = (home: string): boolean => this.#own.includes(servedBy(this.#all, home, silentMs));
    // Those that the settings do not name any more have left hosts to anybody.
    const left = [...silentMs.keys()].filter((name) => !this.#all.nearest.has(name));
    return {
      queues: ['', ...left, ...[...this.#all.nearest.keys()].filter(isServedHere)],
      homeElsewhere: (place) => {
        const { region } = homeOf(this.#all, place);
        return isServedHere(region) ? null : region;
      },
    };
  }

  async #silent(): Promise<ReadonlyMap<string, number>> {
    const now = performance.now();
    if (this.#seen === null || now - this.#seen.at > lookMs)
      this.#seen = { at: now, silentMs: await silentTimes(this.#pool) };
    return this.#seen.silentMs;
  }
}
