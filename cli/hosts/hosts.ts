/** `hosts`: where hosts stand. `host set`: the settings that an operator gives a host. */
import {
  hostOrigin,
  hostList,
  hostSettingsChange,
  hostChanged,
  type HostSettings,
  type HostSettingsChange,
  type HostSummary,
  type HostChanged,
} from '../../contracts/hosts.ts';
import { inWords } from '../../contracts/http/wording.ts';
import { hostStates, type HostState } from '../../domain/host-state.ts';
import { outageText } from '../../domain/outage.ts';
import { withApi } from '../api/target.ts';
import type { Api } from '../api/api.ts';
import type { VerbOptions } from '../steer/crawls.ts';
import { CommandError, exitCodes, type ExitCode } from '../ending.ts';
import { readJsonOption } from '../crawl/json-option.ts';
import { sayPlainly } from '../output/say.ts';
import { printable, writeList, writeOne, type Shown } from '../output/table.ts';
import { counted, grouped } from '../../domain/counted.ts';

const pageLimit = 1_000;

/** The path of a host in the API. */
export const pathOf = (origin: string): string => `/v1/hosts/${encodeURIComponent(origin)}`;

/** @throws CommandError */
export function originOf(text: string): string {
  const origin = hostOrigin.safeParse(text, { error: inWords });
  if (!origin.success) throw new CommandError(`${origin.error.issues[0]?.message ?? ''}.`);
  return origin.data;
}

/** @param state null: any */
export async function hosts(state: HostState | null, options: VerbOptions): Promise<ExitCode> {
  const query = { limit: pageLimit, state: state ?? undefined };
  const none = state === null ? 'There is no host yet.' : `No host ${hostStates[state].words}.`;
  await withApi(options, async (api) => {
    // Beside the table, which may go to another program.
    const { outages } = await api.get('/v1/hosts', hostList, { limit: 1 });
    for (const outage of outages) sayPlainly(outageText(outage));
    await writeList(api.list('/v1/hosts', hostList.shape.items.element, query), options.json === true, {
      ...shownHosts,
      none,
    });
  });
  return exitCodes.ok;
}

const shownHosts: Omit<Shown<HostSummary>, 'none'> = {
  heads: ['state', 'origin', 'queued', 'today', ''],
  row: (host) => {
    const { state, origin, queued, today } = host;
    return [state, origin, grouped(queued), counted(today.requests, 'request'), remarksOf(host).join('; ')];
  },
};

/** A host by itself on one line. */
export function hostLine(host: HostSummary): string {
  const { state, origin, queued, today } = host;
  const counts = `${grouped(queued)} queued, ${counted(today.requests, 'request')} today`;
  return printable([state, origin, counts, ...remarksOf(host)].join('  '));
}

const remarksOf = ({ state, settings, opensAt, closedBy, notBefore, lastError }: HostSummary): string[] => [
  ...(closedBy === null ? [] : [`closed by its ${closedBy} until ${opensAt ?? '?'}`]),
  ...(state === 'asking' ? ['asked whether it answers'] : []),
  ...(state === 'backoff' ? [`left alone until ${notBefore ?? '?'}`] : []),
  ...(lastError === null ? [] : [lastError]),
  ...settingWords(settings),
];

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
  const origin = originOf(text);
  const change = await readHostOptions(options);
  const host = await withApi(options, (api) => changeHost(api, origin, change), 'acting');
  writeOne(host, options.json === true, () => [hostLine(host)]);
  mentionSleep(host);
  return exitCodes.ok;
}

export const changeHost = (api: Api, origin: string, change: HostSettingsChange): Promise<HostChanged> =>
  api.change('PATCH', `${pathOf(origin)}/settings`, hostChanged, { body: change });

/** Warns of a change that the host's workflow has not heard of. */
export function mentionSleep({ origin, woken }: HostChanged): void {
  if (!woken)
    sayPlainly(
      `The change is made, but the workflow of ${origin} could not be woken and may sleep on for a while.`,
    );
}
