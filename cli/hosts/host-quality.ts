/** `host quality`: the quality of a host, what the last look found, and its pin. */
import {
  hostQuality as qualityView,
  qualityPin,
  type HostQuality,
} from '../../contracts/http/host-quality.ts';
import { counted, grouped } from '../../domain/counted.ts';
import { withApi } from '../api/target.ts';
import { CommandError } from '../ending.ts';
import { writeOne } from '../output/table.ts';
import { does } from '../verb.ts';
import { pathOf, readOrigin } from './origin.ts';

export const hostQuality = does({
  words: 'host quality',
  summary: 'Show the quality of a host and what the last look found, or pin it.',
  takes: {
    '<origin>': { about: 'such as https://example.com', read: readOrigin() },
    '[value]': {
      about: 'pin the quality: a number from 0 to 1; default: leave it to the daily looks again',
      read: pinOf,
    },
    '--json': 'as JSON',
  },
  examples: ['https://example.com', 'https://example.com 1'],
  run: async ({ origin, value: body, json, ...given }) => {
    const path = `${pathOf(origin)}/quality`;
    const host = await withApi(given, (api) =>
      body === undefined ? api.get(path, qualityView) : api.change('PATCH', path, qualityView, { body }),
    );
    writeOne(host, json, () => [`${host.quality.toFixed(2)}  ${host.origin}  ${qualityRemarks(host)}`]);
  },
});

function pinOf(value: string): { readonly quality: number | null } {
  const read = qualityPin.safeParse({ quality: value === 'default' ? null : Number(value) });
  if (!read.success || value.trim() === '')
    throw new CommandError('The quality must be a number from 0 to 1, or default.');
  return read.data;
}

const percent = (share: number): string => `${String(Math.round(share * 100))} %`;

export function qualityRemarks({
  pinned,
  leftForLater,
  requestsPerDay,
  parts,
  lookedAt,
  urls,
}: HostQuality): string {
  const found = Object.entries(parts).map(([name, share]) => `${name} ${percent(share)}`);
  const look =
    lookedAt === null ? ['nobody has looked yet'] : [`of ${grouped(urls)} URLs: ${found.join(', ')}`];
  const budget = requestsPerDay === null ? [] : [`${counted(requestsPerDay, 'request')} a day`];
  return [
    ...(pinned ? ['pinned by an operator'] : []),
    ...(leftForLater ? ['left for later'] : []),
    ...budget,
    ...look,
  ].join('; ');
}
