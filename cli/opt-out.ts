/** `opt-out add`, `remove` and `list`: domains that must not be crawled. */
import { loadConfig } from '../config/config.ts';
import { optOutAdded, optOutList as optOuts, optOutRemoved, type OptOutView } from '../contracts/opt-out.ts';
import { readDomain } from '../domain/opt-out.ts';
import { optOut, optOutsAfter, takeBackOptOut } from '../storage/opt-outs/index.ts';
import type { Pool } from '../storage/postgres/index.ts';
import { namedApi, type ApiOptions } from './api-target.ts';
import type { VerbOptions } from './crawls.ts';
import { CommandError, exitCodes, type ExitCode } from './ending.ts';
import { writeJsonLines } from './lines.ts';
import { withDatabase } from './stack.ts';
import { grouped } from './words.ts';

export async function optOutAdd(text: string, reason: string | null, options: ApiOptions): Promise<ExitCode> {
  const domain = domainOf(text);
  const api = await namedApi(options);
  const { added, excluded } =
    api === null
      ? await withDatabase(loadConfig(), (pool) => optOut(pool, domain, reason))
      : await api.create('/v1/opt-outs', optOutAdded, { domain, ...(reason !== null && { reason }) });
  const already = added ? '' : ' already';
  process.stdout.write(
    `${domain} has${already} opted out: no further request is sent to it. ${excludedNow(excluded)} excluded.\n`,
  );
  return exitCodes.ok;
}

export async function optOutRemove(text: string, options: ApiOptions): Promise<ExitCode> {
  const domain = domainOf(text);
  const api = await namedApi(options);
  const removed =
    api === null
      ? await withDatabase(loadConfig(), (pool) => takeBackOptOut(pool, domain))
      : await api.change('DELETE', `/v1/opt-outs/${encodeURIComponent(domain)}`, optOutRemoved);
  if (removed === null)
    throw new CommandError(
      `${domain} has not opted out; orbweaver opt-out list shows the domains that have.`,
    );
  process.stdout.write(
    `The opt-out of ${domain} is removed. ${excludedUrls(removed.queued)} queued again${removed.more ? '; more are left: run this command again' : ''}.\n`,
  );
  return exitCodes.ok;
}

const pageLimit = 1_000;

/** JSON lines, or one line each. */
export async function optOutList(options: VerbOptions): Promise<ExitCode> {
  const { json = false } = options;
  const api = await namedApi(options);
  if (api === null) await withDatabase(loadConfig(), (pool) => writeOptOuts(allOptOuts(pool), json));
  else await writeOptOuts(api.list('/v1/opt-outs', optOuts.shape.items.element, { limit: pageLimit }), json);
  return exitCodes.ok;
}

async function* allOptOuts(pool: Pool): AsyncGenerator<OptOutView> {
  for (let after: string | null = null; ;) {
    const page = await optOutsAfter(pool, after, pageLimit);
    yield* page;
    if (page.length < pageLimit) return;
    after = page.at(-1)?.domain ?? null;
  }
}

async function writeOptOuts(entries: AsyncIterable<OptOutView>, json: boolean): Promise<void> {
  if (json) {
    await writeJsonLines(entries);
    return;
  }
  let none = true;
  for await (const { domain, reason, createdAt } of entries) {
    none = false;
    process.stdout.write(`${createdAt}  ${domain}${reason === null ? '' : `  ${reason}`}\n`);
  }
  if (none) process.stdout.write('No domain has opted out.\n');
}

function domainOf(text: string): string {
  const read = readDomain(text);
  if (!read.ok) throw new CommandError(`${JSON.stringify(text)} ${read.problem}.`);
  return read.domain;
}

const excludedNow = (count: number): string => (count === 1 ? '1 URL was' : `${grouped(count)} URLs were`);
const excludedUrls = (count: number): string =>
  count === 1 ? '1 excluded URL is' : `${grouped(count)} excluded URLs are`;
