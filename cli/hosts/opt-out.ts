/** `opt-out add`, `remove` and `list`: domains that must not be crawled. */
import {
  optOutAdded,
  optOutList as optOuts,
  optOutPreview,
  optOutRemoved,
  type OptOutView,
} from '../../contracts/opt-out.ts';
import { readDomain } from '../../domain/opt-out.ts';
import { withApi, type ApiOptions } from '../api/target.ts';
import type { VerbOptions } from '../steer/crawls.ts';
import { CommandError, exitCodes, type ExitCode } from '../ending.ts';
import { moment, writeList, type Shown } from '../output/table.ts';
import { counted } from '../../domain/counted.ts';

interface AddOptions extends ApiOptions {
  readonly reason?: string;
  readonly publicSuffix?: true;
  readonly dryRun?: true;
}

export async function optOutAdd(text: string, options: AddOptions): Promise<ExitCode> {
  const domain = domainOf(text);
  const { reason, publicSuffix, dryRun } = options;
  if (dryRun === true) return wouldExclude(domain, options);
  const body = { domain, ...(reason !== undefined && { reason }), ...(publicSuffix && { publicSuffix }) };
  const { added, excluded } = await withApi(options, (api) => api.create('/v1/opt-outs', optOutAdded, body));
  const already = added ? '' : ' already';
  process.stdout.write(
    `${domain} has${already} opted out: no further request is sent to it. ${excludedNow(excluded)} excluded.\n`,
  );
  return exitCodes.ok;
}

/** An API that knows no dry run refuses it. */
async function wouldExclude(domain: string, options: ApiOptions): Promise<ExitCode> {
  const { publicSuffix, hosts, urls } = await withApi(options, (api) =>
    api.change('POST', '/v1/opt-outs', optOutPreview, { body: { domain, dryRun: true } }),
  );
  const suffix = publicSuffix
    ? ` ${domain} is a public suffix, under which others have their domains: --public-suffix takes it all the same.`
    : '';
  process.stdout.write(
    `An opt-out of ${domain} would reach ${counted(hosts, 'known host')} and exclude ${counted(urls, 'queued URL')}. Nothing was changed.${suffix}\n`,
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

const shown: Shown<OptOutView> = {
  heads: ['since', 'domain', 'reason'],
  row: ({ createdAt, domain, reason }) => [moment(createdAt), domain, reason ?? ''],
  none: 'No domain has opted out.',
};

export async function optOutList(options: VerbOptions): Promise<ExitCode> {
  const item = optOuts.shape.items.element;
  await withApi(options, (api) =>
    writeList(api.list('/v1/opt-outs', item, { limit: pageLimit }), options.json === true, shown),
  );
  return exitCodes.ok;
}

function domainOf(text: string): string {
  const read = readDomain(text);
  if (!read.ok) throw new CommandError(`${JSON.stringify(text)} ${read.problem}.`);
  return read.domain;
}

const excludedNow = (count: number): string => counted(count, 'URL was', 'URLs were');
const excludedUrls = (count: number): string => counted(count, 'excluded URL is', 'excluded URLs are');
