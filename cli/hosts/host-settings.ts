/** `host set`: the settings that an operator gives a host. */
import {
  hostChanged,
  hostSettingsChange,
  type HostChanged,
  type HostSettings,
  type HostSettingsChange,
} from '../../contracts/hosts.ts';
import { withApi } from '../api/target.ts';
import type { Api } from '../api/api.ts';
import { CommandError } from '../ending.ts';
import { readJsonOption } from '../crawl/json-option.ts';
import { judged } from '../judged.ts';
import { sayPlainly } from '../output/say.ts';
import { writeOne } from '../output/table.ts';
import { does } from '../verb.ts';
import { hostLine } from './host-words.ts';
import { oneHost, pathOf } from './origin.ts';

/** As commander gives them: numbers, or `default` to take a setting back. */
interface HostOptions {
  readonly delay?: string | undefined;
  readonly concurrency?: string | undefined;
  readonly windows?: string | undefined;
  readonly quota?: string | undefined;
  readonly factor?: string | undefined;
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
  return judged(hostSettingsChange, given, ([field]) => optionOf[field as keyof HostSettings]);
}

/** The schema refuses a text that is no number. */
const numberOf = (text: string): number | string | null =>
  text === 'default' ? null : /^(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : text;

const windowsOf = async (text: string): Promise<unknown> =>
  text === 'default' ? null : readJsonOption('windows', text);

export const changeHost = (api: Api, origin: string, change: HostSettingsChange): Promise<HostChanged> =>
  api.change('PATCH', `${pathOf(origin)}/settings`, hostChanged, { body: change });

/** Warns of a change that the host's workflow has not heard of. */
export function mentionSleep({ origin, woken }: HostChanged): void {
  if (!woken)
    sayPlainly(
      `The change is made, but the workflow of ${origin} could not be woken and may sleep on for a while.`,
    );
}

export const hostSet = does({
  words: 'host set',
  summary:
    'Change how requests are sent to a host. A setting takes effect at once; the value default resets it.',
  takes: {
    ...oneHost,
    '--delay <seconds>': 'seconds between two requests, for a host you own; 0 and fractions are allowed',
    '--concurrency <n>': 'requests at a time, 1 to 16, for a host you own',
    '--windows <json>': 'hours of the week in which requests may be sent: JSON, or a file that holds JSON',
    '--quota <n>': 'requests per day at most, of all crawls together',
    '--factor <x>': 'wait at least this many times as long as the last answer took',
    '--json': 'as JSON',
  },
  examples: [
    'https://example.com --quota 5000 --factor 3',
    'http://127.0.0.1:8080 --delay 0 --concurrency 4',
    'https://example.com --windows nights.json',
    'https://example.com --windows default',
  ],
  notes:
    'nights.json may hold: {"timeZone": "Europe/Berlin", "open": [{"days": ["mon", "tue"], "from": "22:00", "to": "06:00"}]}',
  run: async ({ origin, json, ...given }) => {
    const change = await readHostOptions(given);
    const host = await withApi(given, (api) => changeHost(api, origin, change), 'acting');
    writeOne(host, json, () => [hostLine(host)]);
    mentionSleep(host);
  },
});
