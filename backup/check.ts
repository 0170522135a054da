/** Is what was restored whole? Every crawl is counted anew, and bodies of every segment are read. */
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { bucketOf, type Config } from '../config/config.ts';
import { ArchiveReader, NotHereYet, openSegments } from '../storage/archive/index.ts';
import { allCrawls, sampleBodies } from '../storage/backups/index.ts';
import { retrying, type Pool } from '../storage/postgres/index.ts';
import { auditCrawl } from '../storage/reports/index.ts';
import { withPool } from './session.ts';

/** Bodies of each segment that are read, and segments whose bodies are looked up together. */
const [bodiesEach, segmentsAtOnce] = [5, 200];

export interface Checked {
  readonly crawls: number;
  readonly urls: number;
  readonly bodies: number;
  /** What differs, in sentences for people. */
  readonly faults: readonly string[];
}

export const checkRestored = (config: Config, databaseUrl: string): Promise<Checked> =>
  withPool(databaseUrl, (pool) => check(config, pool));

async function check(config: Config, pool: Pool): Promise<Checked> {
  const faults: string[] = [];
  const temporal = path.join(config.dataDir, 'temporal', 'temporal.db');
  if (existsSync(temporal)) faults.push(...faultsOfTemporal(temporal));
  let [crawls, urls] = [0, 0];
  for (const { id } of await allCrawls(pool)) {
    const audit = await auditCrawl(pool, id);
    if (audit === null) continue;
    crawls++;
    urls += audit.ledger.discovered;
    for (const { check, expected, actual, detail } of audit.differences)
      faults.push(`crawl ${id}: ${check} is ${String(actual)} instead of ${String(expected)} (${detail})`);
  }
  const read = await readSamples(config, pool);
  return { crawls, urls, bodies: read.bodies, faults: [...faults, ...read.faults] };
}

function faultsOfTemporal(file: string): string[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const [row] = database.prepare('pragma quick_check(1)').all();
    const said = String(Object.values(row ?? {})[0]);
    return said === 'ok' ? [] : [`Temporal's file: ${said}`];
  } catch (error) {
    return [`Temporal's file: ${error instanceof Error ? error.message : String(error)}`];
  } finally {
    database.close();
  }
}

async function readSamples(config: Config, pool: Pool): Promise<Pick<Checked, 'bodies' | 'faults'>> {
  const reader = new ArchiveReader(
    pool,
    await openSegments(config.blobDir, bucketOf(config)),
    config.maxBodyBytes,
  );
  const faults: string[] = [];
  let [bodies, after] = [0, 0];
  for (;;) {
    const some = await retrying(() => sampleBodies(pool, after, segmentsAtOnce, bodiesEach));
    for (const { hash: digest, ...at } of some) {
      after = at.segment;
      try {
        const body = await reader.get(digest, at);
        if (body !== null && hash('sha256', body) === digest.toString('hex')) bodies++;
        else faults.push(`segment ${at.name}: the body at byte ${String(at.at)} cannot be read`);
      } catch (error) {
        // In the folder of another machine, which this backup is not of.
        if (!(error instanceof NotHereYet)) throw error;
      }
    }
    if (some.length === 0) return { bodies, faults };
  }
}
