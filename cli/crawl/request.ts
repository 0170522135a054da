/**
 * From the options of `crawl` to the request that creates the crawl: everything is checked before anything is started.
 */
import { isIP } from 'node:net';
import { crawlView, newCrawl } from '../../contracts/http/crawls.ts';
import { seedList } from '../../contracts/http/seeds.ts';
import { maxRequestBytes } from '../../contracts/http/shared.ts';
import { judgeSeeds, rejectionSentence, type JudgedSeed } from '../../domain/seeds.ts';
import { addressRefusal, parseCidrs } from '../../net/address-guard.ts';
import { readCrawlFile } from './yaml-file.ts';
import { addSettings, helpGroups, optionName } from './crawl-settings.ts';
import type { Api } from '../api/api.ts';
import { crawlId, wholeNumber } from '../arguments.ts';
import { CommandError } from '../ending.ts';
import { judged } from '../judged.ts';
import type { Takes } from '../verb.ts';
import { readSettings } from './setting-values.ts';
import { readSeedsFile, type SeedsRest } from './seeds-file.ts';
import { readSecret } from '../steer/secret-file.ts';

/** What describes a crawl, from its seeds to its addresses. */
export const whatToCrawl = {
  '[url...]': 'http or https URLs to start from',
  '--seeds <file>': {
    about: 'file with one URL per line; blank lines and lines that begin with # are skipped',
    group: helpGroups.what,
  },
  '--config <file>': {
    about:
      'YAML file with seeds and settings, named as in the API, such as maxPages: 500; options on the command line win over the file',
    group: helpGroups.what,
  },
  '--like <id>': {
    about:
      'copy the settings of this crawl, and its seeds if no others are given; options on the command line win over the copy',
    read: crawlId,
    group: helpGroups.what,
  },
  '--cookies <file>': {
    about:
      'log in with these cookies: cookies.txt, or the JSON that browser extensions write; - for standard input. They are kept sealed; session add gives the crawl others',
    group: helpGroups.what,
  },
  '--proxy <file>': {
    about:
      'file with the URL of a proxy by which all requests of the crawl go: http://… (CONNECT) or socks5://…, with user:password@ where it wants them; - for standard input',
    group: helpGroups.what,
  },
  '--max-bytes <n>': {
    about: 'end the crawl once about this many bytes of bodies have come over the wire (default: no limit)',
    read: wholeNumber(1),
    group: helpGroups.limits,
  },
  settings: addSettings,
} as const satisfies Takes;

/** As they were typed; the settings of crawl-settings.ts too. */
export interface CrawlOptions {
  readonly seeds?: string | undefined;
  /** Name of a YAML file with seeds and settings. */
  readonly config?: string | undefined;
  /** Id of the crawl that gives seeds and settings that are not given otherwise. */
  readonly like?: string | undefined;
  readonly maxBytes?: number | undefined;
  /** Name of a file of cookies. */
  readonly cookies?: string | undefined;
  /** Name of a file with the URL of a proxy. */
  readonly proxy?: string | undefined;
  readonly [setting: string]: unknown;
}

export interface CrawlRequest {
  /** The body of POST /v1/crawls. */
  readonly body: string;
  /** Bad lines of the seeds file, one sentence each. */
  readonly complaints: readonly string[];
  /** The part of the seeds file that is sent once the crawl exists; null: nothing. */
  readonly rest: SeedsRest | null;
}

/**
 * The command line takes precedence over the file of settings, and the file over the model.
 * @param allowedPrivate address blocks that every crawl may reach @param model seeds and settings of another crawl
 * @throws CommandError with one sentence on the first thing that is wrong
 */
export async function readRequest(
  urls: readonly string[],
  options: CrawlOptions,
  allowedPrivate: readonly string[],
  model: Readonly<Record<string, unknown>> = {},
): Promise<CrawlRequest> {
  const { lines, rest } =
    options.seeds === undefined ? { lines: [], rest: null } : await readSeedsFile(options.seeds);
  const base = { ...model, ...(options.config === undefined ? {} : await readCrawlFile(options.config)) };
  const named = urls.length > 0 || options.seeds !== undefined;
  if (!named && base.seeds === undefined) {
    throw new CommandError('Give at least one URL, such as https://example.com/, or --seeds FILE.');
  }
  const given = {
    ...endingByBytes(options),
    ...(await readSettings(options)),
    ...(await sessionsOf(options)),
  };
  // If a file gives all seeds, its lines keep their numbers; no line is left out, so that rejected ones are recorded
  // with the crawl.
  const wanted = { ...base, ...(named && { seeds: [...urls, ...lines] }), ...given };
  const request = judged(newCrawl, wanted, ([field = '']) => optionName(field));
  const seeds = judgeSeeds(request.seeds);
  const blocks = parseCidrs([...allowedPrivate, ...(request.allowPrivate ?? [])]);
  const source = options.seeds ?? options.config ?? `crawl ${options.like ?? ''}`;
  const complaints = seeds.flatMap((seed) => {
    const complaint = complaintAbout(seed, blocks);
    if (complaint === null) return [];
    if (seed.line <= urls.length) throw new CommandError(`${JSON.stringify(seed.url)} ${complaint}.`);
    return [
      `${source}, ${options.seeds === undefined ? 'seed' : 'line'} ${String(seed.line - urls.length)}: ${JSON.stringify(seed.url)} ${complaint}`,
    ];
  });
  if (complaints.length === seeds.length) throw noneGood(source, complaints);
  const body = JSON.stringify(request);
  if (Buffer.byteLength(body) > maxRequestBytes) {
    throw new CommandError(
      `The seeds are larger than ${String(maxRequestBytes)} bytes: crawl them in parts.`,
    );
  }
  return { body, complaints, rest };
}

async function sessionsOf({ cookies, proxy }: CrawlOptions): Promise<{ sessions?: readonly object[] }> {
  if (cookies === undefined && proxy === undefined) return {};
  const session = {
    ...(cookies !== undefined && { cookies: await readSecret(cookies) }),
    ...(proxy !== undefined && { proxy: (await readSecret(proxy)).trim() }),
  };
  return { sessions: [session] };
}

/** Bytes are a criterion, not an exact limit: URLs in flight when they are reached are kept. @throws CommandError */
function endingByBytes({ finish, maxBytes }: CrawlOptions): { finish?: { any: readonly object[] } } {
  if (maxBytes === undefined) return {};
  if (finish === undefined) return { finish: { any: [{ bytes: maxBytes }] } };
  throw new CommandError(
    `Give --finish or --max-bytes, not both: {"bytes": ${String(maxBytes)}} may be one of the criteria.`,
  );
}

/** What is wrong with a seed, as the rest of a sentence; null: nothing. */
function complaintAbout(seed: JudgedSeed, blocks: ReturnType<typeof parseCidrs>): string | null {
  if (seed.rejected !== null) return `${rejectionSentence(seed.rejected)}${hint(seed)}`;
  const { hostname } = new URL(seed.url);
  const address = /(^|\.)localhost$/.test(hostname) ? '127.0.0.1' : hostname.replace(/^\[|\]$/g, '');
  const refusal = isIP(address) === 0 ? null : addressRefusal(address, blocks);
  if (refusal === null) return null;
  const block = `${address}/${address.includes(':') ? '128' : '32'}`;
  return `is at a ${refusal} address, which --allow-private ${block} would allow`;
}

function hint({ url, rejected }: JudgedSeed): string {
  const guess = `https://${url}`;
  const likely = rejected === 'not-a-url' && /^[^\s:/]+\.[^\s:/]+/.test(url) && URL.canParse(guess);
  return likely ? `; ${guess} would be a URL` : '';
}

const shownComplaints = 20;

function noneGood(file: string, complaints: readonly string[]): CommandError {
  if (complaints.length === 0) return new CommandError(`There is no URL in ${file}.`);
  const shown = complaints.slice(0, shownComplaints).map((complaint) => `  ${complaint}`);
  const more =
    complaints.length > shown.length ? [`  and ${String(complaints.length - shown.length)} more`] : [];
  return new CommandError([`None of the seeds can be crawled:`, ...shown, ...more].join('\n'));
}

/** As `readRequest`, with the crawl that `--like` names as the model; its seeds count if no others are given. */
export async function readRequestLike(
  api: Api,
  urls: readonly string[],
  options: CrawlOptions,
  allowedPrivate: readonly string[],
): Promise<CrawlRequest> {
  const hasSeeds = urls.length > 0 || options.seeds !== undefined;
  const model = await likenessOf(api, options.like ?? '', !hasSeeds);
  return readRequest(urls, options, allowedPrivate, model);
}

/** @param withSeeds false: the caller has other seeds. @throws CommandError */
async function likenessOf(api: Api, id: string, withSeeds: boolean): Promise<Record<string, unknown>> {
  const { config, label } = await api.get(`/v1/crawls/${id}`, crawlView);
  const settings = { ...config, ...(label !== null && { label }) };
  if (!withSeeds) return settings;
  const seeds: string[] = [];
  let bytes = 0;
  const query = { state: 'good', limit: 1_000 };
  for await (const { url } of api.list(`/v1/crawls/${id}/seeds`, seedList.shape.items.element, query)) {
    bytes += Buffer.byteLength(url) + 3;
    if (bytes > maxRequestBytes)
      throw new CommandError(
        `Crawl ${id} has more seeds than one request can carry. Start the new crawl with a few URLs, and add the other seeds with orbweaver seeds add.`,
      );
    seeds.push(url);
  }
  return { ...settings, seeds };
}
