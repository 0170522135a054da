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
import { sayPlainly } from '../output/lines.ts';
import { writeOne } from '../output/table.ts';
import { does } from '../verb.ts';
import { hostLine, hostOptions, settingNames } from './host-words.ts';
import { oneHost, pathOf } from './origin.ts';

const optionOf = (field: keyof HostSettings): string => hostOptions[field].flags.split(' ')[0] ?? '';

/**
 * @param options texts by the names of the options; `default` takes a setting back @throws CommandError with one
 * sentence on the first thing that is wrong
 */
export async function readHostOptions(options: object): Promise<HostSettingsChange> {
  const texts = new Map<string, unknown>(Object.entries(options));
  const given: Record<string, unknown> = {};
  for (const field of settingNames) {
    const text = texts.get(optionOf(field).slice(2));
    if (typeof text === 'string') given[field] = await valueOf(field, text);
  }
  if (Object.keys(given).length === 0) {
    const all = settingNames.map(optionOf).join(', ');
    throw new CommandError(`Say what to set: ${all}; the value default resets a setting.`);
  }
  return judged(hostSettingsChange, given, ([field]) => optionOf(field as keyof HostSettings));
}

/** The schema refuses a text that is no number. */
function valueOf(field: keyof HostSettings, text: string): unknown {
  if (text === 'default') return null;
  if (field === 'windows') return readJsonOption('windows', text);
  return /^(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : text;
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

export const hostSet = does({
  words: 'host set',
  summary:
    'Change how requests are sent to a host. A setting takes effect at once; the value default resets it.',
  takes: {
    ...oneHost,
    settings: (command) => {
      for (const { flags, about } of Object.values(hostOptions)) command.option(flags, about);
    },
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
