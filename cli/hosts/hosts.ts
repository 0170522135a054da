/** `hosts`: where hosts stand, and which are of poor quality. */
import { hostList } from '../../contracts/hosts.ts';
import { reviewList } from '../../contracts/http/host-quality.ts';
import { counted, grouped } from '../../domain/counted.ts';
import { hostStateNames, hostStates } from '../../domain/host-state.ts';
import { outageText } from '../../domain/outage.ts';
import { withApi } from '../api/target.ts';
import { sayPlainly } from '../output/lines.ts';
import { moment, writeList } from '../output/table.ts';
import { does } from '../verb.ts';
import { qualityRemarks } from './host-quality.ts';
import { remarksOf } from './host-words.ts';

const limit = 1_000;

export const verbs = [
  does({
    words: 'hosts',
    takes: {
      '--state <state>': { about: 'only hosts in this state', choices: hostStateNames },
      '--json': 'as JSON, one object a line',
      '--review':
        'only hosts of poor quality or left for later, the worst first, with what speaks against each',
    },
    examples: ['', '--state parked', '--review'],
    run: ({ state, json, review, ...given }) =>
      withApi(given, async (api) => {
        if (review) {
          await writeList(api.list('/v1/host-reviews', reviewList.shape.items.element, { limit }), json, {
            heads: ['quality', 'origin', 'looked at', 'urls', ''],
            row: (host) => [
              host.quality.toFixed(2),
              host.origin,
              moment(host.lookedAt, 'never'),
              grouped(host.urls),
              qualityRemarks(host),
            ],
            none: 'No host is of poor quality or left for later.',
          });
          return;
        }
        // Beside the table, which may go to another program.
        const { outages } = await api.get('/v1/hosts', hostList, { limit: 1 });
        for (const outage of outages) sayPlainly(outageText(outage));
        await writeList(api.list('/v1/hosts', hostList.shape.items.element, { limit, state }), json, {
          heads: ['state', 'origin', 'queued', 'today', ''],
          row: (host) => [
            host.state,
            host.origin,
            grouped(host.queued),
            counted(host.today.requests, 'request'),
            remarksOf(host).join('; '),
          ],
          none: state === undefined ? 'There is no host yet.' : `No host ${hostStates[state].words}.`,
        });
      }),
  }),
];
