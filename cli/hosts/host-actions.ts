/** An operator's actions on hosts: on named hosts, or on all hosts in a state or of a pattern. */
import {
  hostActed,
  hostsActed,
  maxHostsAtOnce,
  type HostActed,
  type HostAction,
  type HostsActed,
} from '../../contracts/hosts.ts';
import { counted } from '../../domain/counted.ts';
import { hostStateNames } from '../../domain/host-state.ts';
import type { Api } from '../api/api.ts';
import { withApi } from '../api/target.ts';
import { CommandError } from '../ending.ts';
import { sayPlainly } from '../output/lines.ts';
import { printable, writeLines, writeOne } from '../output/table.ts';
import { does, type Given, type Verb } from '../verb.ts';
import { actedLine } from './host-words.ts';
import { pathOf, someHosts } from './origin.ts';

const actions: Readonly<
  Record<HostAction, { readonly summary: string; readonly examples: readonly string[] }>
> = {
  retry: {
    summary:
      'Try hosts again now, and forget that they failed, are in backoff or are parked. Their delay still holds.',
    examples: ['https://example.com', '--state parked --match "https://*.example.com"'],
  },
  pause: {
    summary:
      'Pause hosts: no request is sent to them until they are resumed. A request in flight is finished first.',
    examples: ['https://example.com --reason "their mail of 3 May"'],
  },
  resume: {
    summary: 'Resume paused hosts. A parked host is tried again.',
    examples: ['https://example.com', '--state paused'],
  },
  drop: {
    summary: 'Exclude all URLs that are queued at hosts, for good and in all crawls.',
    examples: ['https://example.com', '--state parked --dry-run'],
  },
};

const choosing = {
  '--state <state>': { about: 'all hosts in this state', choices: hostStateNames },
  '--match <pattern>': 'all hosts whose origin matches this pattern, such as "https://*.example.com"',
  '--dry-run': 'with --state or --match: only show which hosts would be changed',
} as const;
type ActionOptions = Given<typeof choosing> & {
  readonly reason?: string | undefined;
  readonly json: boolean;
};
const why = { '--reason <text>': 'why; shown to people who look at the host later' } as const;

export const hostActions: readonly Verb[] = (['retry', 'pause', 'resume', 'drop'] as const).map((action) =>
  does({
    words: `host ${action}`,
    ...actions[action],
    takes: {
      ...someHosts,
      ...choosing,
      ...(action === 'pause' || action === 'drop' ? why : {}),
      '--json': 'as JSON, one object a line',
    },
    run: async ({ origin: origins, ...given }) => {
      const isBulk = given.state !== undefined || given.match !== undefined;
      if (isBulk === origins.length > 0)
        throw new CommandError(
          'Name hosts, such as https://example.com, or choose them with --state and --match.',
        );
      if (!isBulk && given.dryRun) throw new CommandError('--dry-run works only with --state or --match.');
      await withApi(
        given,
        (api, place) =>
          isBulk
            ? toMany(api, action, given, place !== 'own')
            : toEach(api, action, origins, given, place !== 'own'),
        given.dryRun ? 'reading' : 'acting',
      );
    },
  }),
);

async function toEach(
  api: Api,
  action: HostAction,
  origins: readonly string[],
  { reason, json }: ActionOptions,
  isUp: boolean,
): Promise<void> {
  for (const origin of origins) {
    let dropped = 0;
    let acted: HostActed;
    do {
      acted = await api.change('POST', `${pathOf(origin)}/${action}`, hostActed, {
        body: { reason },
      });
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
  { state, match, reason, dryRun, json }: ActionOptions,
  isUp: boolean,
): Promise<void> {
  const wanted = { action, state, match, reason, dryRun, limit: maxHostsAtOnce };
  let [hosts, dropped, unchanged] = [0, 0, 0];
  let cursor: string | undefined;
  do {
    const acted: HostsActed = await api.change('POST', '/v1/hosts/bulk', hostsActed, {
      body: { ...wanted, cursor },
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
