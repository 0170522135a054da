/** `opt-out add`, `remove` and `list`: domains that must not be crawled. */
import { optOutAdded, optOutList as optOuts, optOutRemoved, type OptOutView } from '../contracts/opt-out.ts';
import { readDomain } from '../domain/opt-out.ts';
import { withApi, type ApiOptions } from './api-target.ts';
import type { VerbOptions } from './crawls.ts';
import { CommandError, exitCodes, type ExitCode } from './ending.ts';
import { writeJsonLines } from './lines.ts';
import { counted } from '../domain/counted.ts';

export async function optOutAdd(text: string, reason: string | null, options: ApiOptions): Promise<ExitCode> {
  const domain = domainOf(text);
  const body = { domain, ...(reason !== null && { reason }) };
  const { added, excluded } = await withApi(options, (api) => api.create('/v1/opt-outs', optOutAdded, body));
  const already = added ? '' : ' already';
  process.stdout.write(
    `${domain} has${already} opted out: no further request is sent to it. ${excludedNow(excluded)} excluded.\n`,
  );
  return exitCodes.ok;
}

export async function optOutRemove(text: string, options: ApiOptions): Promise<ExitCode> {
  const domain = domainOf(text);
  const removed = await withApi(options, (api) =>
    api.change('DELETE', `/v1/opt-outs/${encodeURIComponent(domain)}`, optOutRemoved),
  );
  process.stdout.write(
    `The opt-out of ${domain} is removed. ${excludedUrls(removed.queued)} queued again${removed.more ? '; more are left: run this command again' : ''}.\n`,
  );
  return exitCodes.ok;
}

const pageLimit = 1_000;

/** Prints JSON lines, or one line for each domain. */
export async function optOutList(options: VerbOptions): Promise<ExitCode> {
  const { json = false } = options;
  const item = optOuts.shape.items.element;
  await withApi(options, (api) => writeOptOuts(api.list('/v1/opt-outs', item, { limit: pageLimit }), json));
  return exitCodes.ok;
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

const excludedNow = (count: number): string => counted(count, 'URL was', 'URLs were');
const excludedUrls = (count: number): string => counted(count, 'excluded URL is', 'excluded URLs are');
