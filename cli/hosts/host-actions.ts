/** `host show`, and an operator's actions on hosts: on named hosts, or on all hosts in a state or of a pattern. */
import {
  hostActed,
  hostChanged,
  hostsActed,
  hostView,
  maxHostsAtOnce,
  type HostActed,
  type HostAction,
  type HostsActed,
  type HostView,
} from '../../contracts/hosts.ts';
import { hostStates, type HostState } from '../../domain/host-state.ts';
import { withApi } from '../api/target.ts';
import type { Api } from '../api/api.ts';
import type { VerbOptions } from '../steer/crawls.ts';
import { CommandError, exitCodes, type ExitCode } from '../ending.ts';
import { mentionSleep, originOf, pathOf, settingWords } from './hosts.ts';
import { sayPlainly } from '../output/say.ts';
import { moment, printable, writeLines, writeOne } from '../output/table.ts';
import { counted, grouped } from '../../domain/counted.ts';

export interface HostActionOptions extends VerbOptions {
  readonly state?: HostState;
  readonly match?: string;
  readonly reason?: string;
  readonly dryRun?: boolean;
}

export async function showHost(text: string, options: VerbOptions): Promise<ExitCode> {
  const origin = originOf(text);
  const host = await withApi(options, (api) => api.get(pathOf(origin), hostView));
  writeOne(host, options.json === true, () => hostLines(host));
  return exitCodes.ok;
}

export async function rereadRobots(text: string, options: VerbOptions): Promise<ExitCode> {
  const origin = originOf(text);
  const host = await withApi(
    options,
    (api) => api.change('POST', `${pathOf(origin)}/robots`, hostChanged, { body: {} }),
    'acting',
  );
  writeOne(host, options.json === true, () => [
    `robots.txt of ${origin} is read again before the next request there.`,
  ]);
  mentionSleep(host);
  return exitCodes.ok;
}

export async function actOnHosts(
  action: HostAction,
  texts: readonly string[],
  options: HostActionOptions,
): Promise<ExitCode> {
  const { state, match } = options;
  const isBulk = state !== undefined || match !== undefined;
  if (isBulk === texts.length > 0)
    throw new CommandError(
      'Name hosts, such as https://example.com, or choose them with --state and --match.',
    );
  if (!isBulk && options.dryRun === true)
    throw new CommandError('--dry-run works only with --state or --match.');
  const origins = texts.map(originOf);
  await withApi(
    options,
    (api, place) =>
      isBulk
        ? toMany(api, action, options, place !== 'own')
        : toEach(api, action, origins, options, place !== 'own'),
    options.dryRun === true ? 'reading' : 'acting',
  );
  return exitCodes.ok;
}

async function toEach(
  api: Api,
  action: HostAction,
  origins: readonly string[],
  { reason, json = false }: HostActionOptions,
  isUp: boolean,
): Promise<void> {
  for (const origin of origins) {
    const body = reason === undefined ? {} : { reason };
    let dropped = 0;
    let acted: HostActed;
    do {
      acted = await api.change('POST', `${pathOf(origin)}/${action}`, hostActed, { body });
      dropped += acted.dropped;
    } while (acted.more);
    writeOne(acted, json, () => [actedLine({ ...acted, dropped })]);
    const going = acted.host.crawls.filter(({ state }) => state === 'running').at(-1);
    if (!isUp && !json && action === 'retry' && going !== undefined)
      writeLines([
        `No stack is running: ./orbweaver resume ${going.crawlId} goes on with crawl ${going.crawlId}.`,
      ]);
  }
}

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

const past: Readonly<Record<HostAction, string>> = {
  retry: 'tried again',
  pause: 'paused',
  resume: 'resumed',
  drop: 'emptied',
};

/** Works page by page; its progress goes to standard error. */
async function toMany(
  api: Api,
  action: HostAction,
  { state, match, reason, dryRun = false, json = false }: HostActionOptions,
  isUp: boolean,
): Promise<void> {
  const wish = { action, state, match, reason, dryRun, limit: maxHostsAtOnce };
  let [hosts, dropped, unchanged] = [0, 0, 0];
  let cursor: string | undefined;
  do {
    const acted: HostsActed = await api.change('POST', '/v1/hosts/bulk', hostsActed, {
      body: { ...wish, cursor },
    });
    hosts += acted.hosts.length;
    dropped += acted.dropped;
    unchanged += acted.unchanged;
    if (json) writeLines([JSON.stringify(acted)]);
    else if (acted.hosts.length > 0 && (dryRun || acted.hosts.length <= 20))
      writeLines(acted.hosts.map(printable));
    cursor = acted.next ?? undefined;
    if (cursor !== undefined && !json) sayPlainly(`${counted(hosts, 'host')} so far …`);
  } while (cursor !== undefined);
  if (json) return;
  const rest = unchanged === 0 ? '' : ` ${counted(unchanged, 'host')} needed nothing.`;
  const gone = action === 'drop' && !dryRun ? ` ${counted(dropped, 'queued URL')} excluded.` : '';
  const verb = dryRun ? `would be ${past[action]}` : `${hosts === 1 ? 'is' : 'are'} ${past[action]}`;
  writeLines([`${counted(hosts, 'host')} ${verb}.${gone}${rest}`]);
  if (!isUp && !dryRun && hosts > 0)
    sayPlainly('No stack is running: the change takes effect once a stack runs.');
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
