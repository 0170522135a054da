/** The quality of hosts: `hosts --review`, and `host quality`. */
import {
  hostQuality as qualityView,
  qualityPin,
  reviewList,
  type HostQuality,
} from '../../contracts/http/host-quality.ts';
import { counted, grouped } from '../../domain/counted.ts';
import { withApi } from '../api/target.ts';
import type { VerbOptions } from '../steer/crawls.ts';
import { CommandError, exitCodes, type ExitCode } from '../ending.ts';
import { originOf, pathOf } from './hosts.ts';
import { moment, writeList, writeOne, type Shown } from '../output/table.ts';

const shown: Shown<HostQuality> = {
  heads: ['quality', 'origin', 'looked at', 'urls', ''],
  row: (host) => [
    ...[
      host.quality.toFixed(2),
      host.origin,
      moment(host.lookedAt, 'never'),
      grouped(host.urls),
      remarksOf(host),
    ],
  ],
  none: 'No host is of poor quality or left for later.',
};

export async function reviewHosts(options: VerbOptions): Promise<ExitCode> {
  const item = reviewList.shape.items.element;
  await withApi(options, (api) =>
    writeList(api.list('/v1/host-reviews', item, { limit: 1_000 }), options.json === true, shown),
  );
  return exitCodes.ok;
}

/** @param value a number from 0 to 1 pins the quality, `default` takes the pin back; absent: only shows it */
export async function hostQuality(
  text: string,
  value: string | undefined,
  options: VerbOptions,
): Promise<ExitCode> {
  const path = `${pathOf(originOf(text))}/quality`;
  const body = value === undefined ? null : pinOf(value);
  const host = await withApi(options, (api) =>
    body === null ? api.get(path, qualityView) : api.change('PATCH', path, qualityView, { body }),
  );
  writeOne(host, options.json === true, () => [
    `${host.quality.toFixed(2)}  ${host.origin}  ${remarksOf(host)}`,
  ]);
  return exitCodes.ok;
}

function pinOf(value: string): { readonly quality: number | null } {
  const read = qualityPin.safeParse({ quality: value === 'default' ? null : Number(value) });
  if (!read.success || value.trim() === '')
    throw new CommandError('The quality must be a number from 0 to 1, or default.');
  return read.data;
}

const percent = (share: number): string => `${String(Math.round(share * 100))} %`;

function remarksOf({ pinned, leftForLater, requestsPerDay, parts, lookedAt, urls }: HostQuality): string {
  const found = Object.entries(parts).map(([name, share]) => `${name} ${percent(share)}`);
  const look =
    lookedAt === null ? ['nobody has looked yet'] : [`of ${grouped(urls)} URLs: ${found.join(', ')}`];
  const budget = requestsPerDay === null ? [] : [`${counted(requestsPerDay, 'request')} a day`];
  return [
    ...(pinned ? ['pinned by an operator'] : []),
    ...(leftForLater ? ['left for later'] : []),
    ...[...budget, ...look],
  ].join('; ');
}
