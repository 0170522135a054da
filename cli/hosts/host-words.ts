/** Hosts in words: where they stand, what is set, what was done to them. */
import type { HostActed, HostSettings, HostSummary, HostView } from '../../contracts/hosts.ts';
import { counted, grouped } from '../../domain/counted.ts';
import { hostStates } from '../../domain/host-state.ts';
import { regionWords } from '../../domain/regions.ts';
import { moment, printable } from '../output/table.ts';

/** A host by itself on one line. */
export function hostLine(host: HostSummary): string {
  const { state, origin, queued, today } = host;
  const counts = `${grouped(queued)} queued, ${counted(today.requests, 'request')} today`;
  return printable([state, origin, counts, ...remarksOf(host)].join('  '));
}

export const remarksOf = ({
  state,
  settings,
  opensAt,
  closedBy,
  notBefore,
  lastError,
  region,
}: HostSummary): string[] => [
  ...(closedBy === null ? [] : [`closed by its ${closedBy} until ${opensAt ?? '?'}`]),
  ...(state === 'asking' ? ['asked whether it answers'] : []),
  ...(state === 'backoff' ? [`left alone until ${notBefore ?? '?'}`] : []),
  ...(lastError === null ? [] : [lastError]),
  ...(region === null ? [] : [regionWords(region)]),
  ...settingWords(settings),
];

interface SettingOption<V> {
  readonly flags: string;
  readonly about: string;
  readonly words: (value: V) => string;
}

/** What an operator may set of a host: the option of `host set`, and how what is set is told. */
export const hostOptions: {
  readonly [F in keyof HostSettings]: SettingOption<NonNullable<HostSettings[F]>>;
} = {
  delaySeconds: {
    flags: '--delay <seconds>',
    about: 'seconds between two requests, for a host you own; 0 and fractions are allowed',
    words: (seconds) => `delay ${String(seconds)} s`,
  },
  concurrency: {
    flags: '--concurrency <n>',
    about: 'requests at a time, 1 to 16, for a host you own',
    words: (most) => `${String(most)} at once`,
  },
  windows: {
    flags: '--windows <json>',
    about: 'hours of the week in which requests may be sent: JSON, or a file that holds JSON',
    words: ({ timeZone }) => `windows in ${timeZone}`,
  },
  quotaPerDay: {
    flags: '--quota <n>',
    about: 'requests per day at most, of all crawls together',
    words: (most) => `quota ${grouped(most)} a day`,
  },
  delayFactor: {
    flags: '--factor <x>',
    about: 'wait at least this many times as long as the last answer took',
    words: (factor) => `factor ${String(factor)}`,
  },
  region: {
    flags: '--region <name>',
    about: 'the region whose workers fetch from it',
    words: (region) => `set to region ${region}`,
  },
};
export const settingNames = Object.keys(hostOptions) as (keyof HostSettings)[];

const settingWords = (settings: HostSettings): string[] =>
  settingNames.flatMap((field) => wordsOf(field, settings[field]));

const wordsOf = <F extends keyof HostSettings>(field: F, value: HostSettings[F]): string[] =>
  value === null ? [] : [hostOptions[field].words(value)];

export function actedLine({ action, outcome, dropped, host }: HostActed): string {
  const { origin, state, queued } = host;
  const waiting = `${counted(queued, 'URL is', 'URLs are')} queued`;
  if (outcome === 'unchanged') {
    const why = {
      retry: `${hostStates[state].words}; there is no failure to forget`,
      pause: 'is paused already',
    };
    return action === 'retry' || action === 'pause'
      ? `${origin} ${why[action]}.`
      : `${origin} needs no ${action}.`;
  }
  const soon = outcome === 'accepted' ? ', as soon as a worker gets to it' : '';
  switch (action) {
    case 'retry':
      return `${origin} is tried again${soon}; ${waiting}.`;
    case 'pause':
      return `${origin} is paused${soon}; ${waiting}.`;
    case 'resume':
      return `${origin} goes on${soon}; ${waiting}.`;
    case 'drop':
      return `${dropped === 1 ? '1 queued URL' : `${grouped(dropped)} queued URLs`} of ${origin} ${dropped === 1 ? 'is' : 'are'} excluded.`;
  }
}

function qualityWords({
  value,
  pinned,
  leftForLater,
  requestsPerDay,
  authority,
}: HostView['quality']): string {
  return [
    `${value.toFixed(2)}${pinned ? ', pinned by an operator' : ''}`,
    ...(leftForLater ? ['left for later, since most of its requests fail'] : []),
    ...(requestsPerDay === null ? [] : [`${counted(requestsPerDay, 'request')} a day`]),
    ...(authority === 'always' ? ['an authority'] : []),
  ].join(', ');
}

/** The lines of `host show`. */
export function hostLines(host: HostView): string[] {
  const { origin, state, parkedAt, failures, failingSince, lastError, notBefore, closedBy, opensAt, today } =
    host;
  const since = parkedAt === null ? '' : ` since ${moment(parkedAt)}`;
  const line = (name: string, text: string): string => `  ${name.padEnd(13)} ${text}`;
  const set = settingWords(host.settings);
  return [
    `${origin} ${hostStates[state].words}${state === 'parked' ? since : ''}.`,
    ...(lastError === null ? [] : [line('trouble', lastError)]),
    ...(failures === 0
      ? []
      : [
          line(
            'failures',
            `${grouped(failures)} in a row${failingSince === null ? '' : ` since ${moment(failingSince)}`}`,
          ),
        ]),
    ...(closedBy === null ? [] : [line('closed', `by its ${closedBy} until ${moment(opensAt, '?')}`)]),
    ...(notBefore === null ? [] : [line('not before', moment(notBefore))]),
    ...(state === 'parked'
      ? [line('next', `a probe by itself, at a time that Temporal Web shows in its workflow host/${origin}`)]
      : []),
    line(
      'queued',
      `${grouped(host.queued)}, ${grouped(host.leased)} in hand, ${counted(host.deadLetters, 'dead letter')}`,
    ),
    ...(host.region === null ? [] : [line('region', regionWords(host.region).replace(/^region /, ''))]),
    line('today', `${counted(today.requests, 'request')} of ${grouped(today.quota)}`),
    line('quality', qualityWords(host.quality)),
    line(
      'delay',
      `${String(Math.round(host.delaySeconds * 100) / 100)} s${host.slowdown === 0 ? '' : `, doubled ${counted(host.slowdown, 'time')} after complaints of the host`}`,
    ),
    ...(set.length === 0 ? [] : [line('settings', set.join(', '))]),
    ...host.crawls.map(({ crawlId, state: crawlState, queued }, index) =>
      line(index === 0 ? 'crawls' : '', `${crawlId} (${crawlState}): ${grouped(queued)} queued`),
    ),
    ...(state === 'parked' || state === 'backoff'
      ? [line('try it again', `./orbweaver host retry ${origin}`)]
      : []),
    ...((state as string) === 'paused' ? [line('go on', `./orbweaver host resume ${origin}`)] : []),
  ];
}
