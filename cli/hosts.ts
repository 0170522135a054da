/** `hosts`: where hosts stand. `host set`: the settings that an operator gives a host. */
import {
  hostOrigin,
  hostList,
  hostSettingsChange,
  hostView,
  type HostSettings,
  type HostSettingsChange,
  type HostSummary,
  type HostView,
} from '../contracts/hosts.ts';
import { inWords } from '../contracts/http/wording.ts';
import type { HostStanding } from '../domain/host-standing.ts';
import { withApi } from './api-target.ts';
import type { Api } from './api.ts';
import type { VerbOptions } from './crawls.ts';
import { CommandError, exitCodes, type ExitCode } from './ending.ts';
import { readJsonOption } from './json-option.ts';
import { writeJsonLines } from './lines.ts';
import { counted, grouped } from '../domain/counted.ts';

const pageLimit = 1_000;

/** JSON lines, or one line each. @param state null: any */
export async function hosts(state: HostStanding | null, options: VerbOptions): Promise<ExitCode> {
  const { json = false } = options;
  const query = { limit: pageLimit, state: state ?? undefined };
  await withApi(options, (api) =>
    writeHosts(api.list('/v1/hosts', hostList.shape.items.element, query), state, json),
  );
  return exitCodes.ok;
}

async function writeHosts(
  all: AsyncIterable<HostSummary>,
  state: HostStanding | null,
  json: boolean,
): Promise<void> {
  if (json) {
    await writeJsonLines(all);
    return;
  }
  let none = true;
  for await (const host of all) {
    none = false;
    process.stdout.write(`${hostLine(host)}\n`);
  }
  if (none) process.stdout.write(state === null ? 'There is no host yet.\n' : `No host is ${state}.\n`);
}

export function hostLine(host: HostSummary): string {
  const { state, origin, queued, settings, opensAt, closedBy, notBefore, lastError, today } = host;
  const remarks = [
    ...(closedBy === null ? [] : [`closed by its ${closedBy} until ${opensAt ?? '?'}`]),
    ...(state === 'backoff' ? [`left alone until ${notBefore ?? '?'}`] : []),
    ...(lastError === null ? [] : [lastError]),
    ...settingWords(settings),
  ];
  const counts = `${grouped(queued)} queued, ${counted(today.requests, 'request')} today`;
  return [state.padEnd(7), origin, counts, ...remarks].join('  ').replace(/[\0-\x1f\x7f-\x9f]/g, '\ufffd');
}

export function settingWords({
  delaySeconds,
  concurrency,
  windows,
  quotaPerDay,
  delayFactor,
}: HostSettings): string[] {
  return [
    ...(delaySeconds === null ? [] : [`delay ${String(delaySeconds)} s`]),
    ...(concurrency === null ? [] : [`${String(concurrency)} at once`]),
    ...(quotaPerDay === null ? [] : [`quota ${grouped(quotaPerDay)} a day`]),
    ...(delayFactor === null ? [] : [`factor ${String(delayFactor)}`]),
    ...(windows === null ? [] : [`windows in ${windows.timeZone}`]),
  ];
}

/** As commander gives them: numbers, or `default` to take a setting back. */
export interface HostOptions extends VerbOptions {
  readonly delay?: string;
  readonly concurrency?: string;
  readonly windows?: string;
  readonly quota?: string;
  readonly factor?: string;
}

const optionOf = {
  delaySeconds: '--delay',
  concurrency: '--concurrency',
  windows: '--windows',
  quotaPerDay: '--quota',
  delayFactor: '--factor',
} as const satisfies Record<keyof HostSettings, string>;

/** @throws CommandError with one sentence on the first thing that is wrong */
export async function readHostOptions(options: HostOptions): Promise<HostSettingsChange> {
  const { delay, concurrency, windows, quota, factor } = options;
  const given = {
    ...(delay !== undefined && { delaySeconds: numberOf(delay) }),
    ...(concurrency !== undefined && { concurrency: numberOf(concurrency) }),
    ...(windows !== undefined && { windows: await windowsOf(windows) }),
    ...(quota !== undefined && { quotaPerDay: numberOf(quota) }),
    ...(factor !== undefined && { delayFactor: numberOf(factor) }),
  };
  if (Object.keys(given).length === 0) {
    throw new CommandError(
      `Say what to set: ${Object.values(optionOf).join(', ')}; the value default resets a setting.`,
    );
  }
  const change = hostSettingsChange.safeParse(given, { error: inWords });
  if (change.success) return change.data;
  const [issue] = change.error.issues;
  const option = optionOf[String(issue?.path[0]) as keyof HostSettings];
  throw new CommandError(
    `${option} cannot be used: ${(issue?.message ?? 'it is not valid').replace(/\.$/, '')}.`,
  );
}

/** The schema refuses a text that is no number. */
const numberOf = (text: string): number | string | null =>
  text === 'default' ? null : /^(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : text;

const windowsOf = async (text: string): Promise<unknown> =>
  text === 'default' ? null : readJsonOption('windows', text);

export async function hostSet(text: string, options: HostOptions): Promise<ExitCode> {
  const origin = hostOrigin.safeParse(text, { error: inWords });
  if (!origin.success) throw new CommandError(`${origin.error.issues[0]?.message ?? ''}.`);
  const change = await readHostOptions(options);
  const host = await withApi(options, (api) => changeHost(api, origin.data, change), 'acting');
  process.stdout.write(options.json === true ? `${JSON.stringify(host)}\n` : `${hostLine(host)}\n`);
  return exitCodes.ok;
}

export const changeHost = (api: Api, origin: string, change: HostSettingsChange): Promise<HostView> =>
  api.change('PATCH', `/v1/hosts/${encodeURIComponent(origin)}/settings`, hostView, { body: change });
