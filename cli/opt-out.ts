/** `opt-out add`, `remove` and `list`: domains that are not to be crawled. */
import { loadConfig } from '../config/config.ts';
import { readDomain } from '../domain/opt-out.ts';
import { optOut, optOutsAfter, takeBackOptOut } from '../storage/opt-outs.ts';
import { CommandError, exitCodes, type ExitCode } from './ending.ts';
import { writeJsonLines } from './lines.ts';
import { withDatabase } from './stack.ts';
import { grouped } from './words.ts';

export async function optOutAdd(text: string, reason: string | null): Promise<ExitCode> {
  const domain = domainOf(text);
  const { added, excluded } = await withDatabase(loadConfig(), (pool) => optOut(pool, domain, reason));
  const already = added ? '' : ' already';
  process.stdout.write(
    `${domain} has${already} opted out: nothing is asked of it any more. ${queuedUrls(excluded)} excluded.\n`,
  );
  return exitCodes.ok;
}

export async function optOutRemove(text: string): Promise<ExitCode> {
  const domain = domainOf(text);
  const removed = await withDatabase(loadConfig(), (pool) => takeBackOptOut(pool, domain));
  if (removed === null)
    throw new CommandError(`${domain} has not opted out; orbweaver opt-out list shows who has.`);
  process.stdout.write(
    `The opt-out of ${domain} is taken back. ${excludedUrls(removed.queued)} queued again${removed.more ? '; there are more: run this once more' : ''}.\n`,
  );
  return exitCodes.ok;
}

/** JSON lines, or a line each. */
export async function optOutList(json: boolean): Promise<ExitCode> {
  await withDatabase(loadConfig(), async (pool) => {
    const entries = (async function* () {
      const pageLimit = 1_000;
      for (let after: string | null = null; ;) {
        const page = await optOutsAfter(pool, after, pageLimit);
        yield* page;
        if (page.length < pageLimit) return;
        after = page.at(-1)?.domain ?? null;
      }
    })();
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
  });
  return exitCodes.ok;
}

function domainOf(text: string): string {
  const read = readDomain(text);
  if (!read.ok) throw new CommandError(`${JSON.stringify(text)} ${read.problem}.`);
  return read.domain;
}

const queuedUrls = (count: number): string =>
  count === 1 ? '1 queued URL was' : `${grouped(count)} queued URLs were`;
const excludedUrls = (count: number): string =>
  count === 1 ? '1 excluded URL is' : `${grouped(count)} excluded URLs are`;
