/**
 * Outages of this installation: what is out, since when, and what does not go on meanwhile. Each worker process sees
 * its own by its breakers, and notes them in Postgres (table `outage`).
 */

/** What may be out, with its name in a sentence and what stands still for it. */
const dependencies = {
  postgres: { name: 'Postgres', effect: 'no page is fetched' },
  blobs: { name: 'the blob store', effect: 'no page is fetched' },
  dns: { name: 'DNS', effect: 'hosts whose addresses are not known yet are not asked' },
  proxy: { name: 'the proxy of the worker', effect: 'no page is fetched' },
  /** Nobody sees this by a breaker: the workers themselves say nothing any more. */
  workers: { name: 'every worker that fetches', effect: 'no page is fetched' },
  /** Nor this: others fetch from its hosts. */
  region: { name: 'a region', effect: 'the nearest region with workers fetches from its hosts' },
} as const satisfies Readonly<Record<string, { readonly name: string; readonly effect: string }>>;

export type OutDependency = keyof typeof dependencies;
export const outDependencies = Object.keys(dependencies) as OutDependency[];
export const outageName = (dependency: OutDependency): string => dependencies[dependency].name;

export interface Outage {
  readonly dependency: OutDependency;
  /** ISO 8601. */
  readonly since: string;
  /** The fault in the words of the system; null: none was told. */
  readonly why: string | null;
  /** Worker processes that fetch and see it, of how many. */
  readonly workers: number;
  readonly of: number;
}

/** Does it concern every worker that fetches, so that nothing goes on? */
export const isWhole = ({ workers, of }: Outage): boolean => workers >= of;

/** One sentence. */
export function outageText(outage: Outage): string {
  const { dependency, since, why, workers, of } = outage;
  const { name, effect } = dependencies[dependency];
  const where =
    isWhole(outage) || dependency === 'region' ? '' : ` at ${String(workers)} of ${String(of)} workers`;
  const told = why === null ? '' : ` (${why.replaceAll(/\s+/g, ' ').slice(0, 300)})`;
  return `${name.replace(/^./, (letter) => letter.toUpperCase())} is out${where} since ${since}${told}: ${effect} until that is over, and no host or URL is blamed.`;
}

/** Those that stop everything, in a sentence each; null: there is none. */
export function outageBecause(outages: readonly Outage[]): string | null {
  const whole = outages.filter(isWhole);
  return whole.length === 0 ? null : whole.map(outageText).join(' ');
}

/** As a worker tells it; times in milliseconds since 1970, by its own clock. */
export interface SeenOutage {
  readonly dependency: OutDependency;
  readonly since: number;
  readonly seen: number;
  readonly over: boolean;
  readonly why: string | null;
}

/**
 * What a process still has to tell of outages: those that go on, and the end of each that it told or could not tell, since
 * Postgres was out itself. Pure but for what it remembers.
 */
export class OutageLog {
  readonly #seen = new Map<OutDependency, SeenOutage>();

  /** @param now milliseconds since 1970 */
  look(
    outages: readonly Pick<SeenOutage, 'dependency' | 'since' | 'why'>[],
    now: number,
  ): readonly SeenOutage[] {
    for (const outage of outages) {
      const before = this.#seen.get(outage.dependency);
      const since = before?.over === false ? before.since : outage.since;
      this.#seen.set(outage.dependency, { ...outage, since, seen: now, over: false });
    }
    for (const [dependency, seen] of this.#seen)
      if (!outages.some((outage) => outage.dependency === dependency) && !seen.over)
        this.#seen.set(dependency, { ...seen, seen: now, over: true });
    return [...this.#seen.values()];
  }

  /** These were written: what is over is forgotten. */
  told(rows: readonly SeenOutage[]): void {
    for (const row of rows)
      if (row.over && this.#seen.get(row.dependency) === row) this.#seen.delete(row.dependency);
  }
}
