/** The verbs below `host`. */
import { hostChanged, hostView } from '../../contracts/hosts.ts';
import { withApi } from '../api/target.ts';
import { writeOne } from '../output/table.ts';
import { asks, does } from '../verb.ts';
import { hostActions } from './host-actions.ts';
import { hostQuality } from './host-quality.ts';
import { hostSet, mentionSleep } from './host-settings.ts';
import { hostLines } from './host-words.ts';
import { oneHost, pathOf } from './origin.ts';

export const verbs = [
  asks({
    words: 'host show',
    summary: 'Show a host: its state and why, the URLs that wait there, and its settings.',
    takes: { ...oneHost, '--json': 'as JSON' },
    examples: ['https://example.com'],
    route: 'GET /v1/hosts/{origin}',
    answer: hostView,
    print: hostLines,
  }),
  hostQuality,
  does({
    words: 'host reread-robots',
    summary:
      'Read the robots.txt of a host again before the next request to it, even if the stored copy is still fresh.',
    takes: { ...oneHost, '--json': 'as JSON' },
    examples: ['https://example.com'],
    run: async ({ origin, json, ...given }) => {
      const path = `${pathOf(origin)}/robots`;
      const asked = { body: {} };
      const host = await withApi(given, (api) => api.change('POST', path, hostChanged, asked), 'acting');
      writeOne(host, json, () => [`robots.txt of ${origin} is read again before the next request there.`]);
      mentionSleep(host);
    },
  }),
  ...hostActions,
  hostSet,
];
