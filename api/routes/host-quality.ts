/** The quality of hosts: which need a person's look, and what a person says of one. */
import {
  defaultReviewLimit,
  hostQuality,
  qualityPin,
  reviewList,
  reviewQuery,
} from '../../contracts/http/host-quality.ts';
import { hostPath } from '../../contracts/hosts.ts';
import { reviewQuality } from '../../domain/host-quality.ts';
import { pinQuality, poorHosts, qualitiesOf } from '../../storage/quality/index.ts';
import { wake } from '../wake.ts';
import { instance } from '../way-in/access.ts';
import { json } from './answers.ts';
import { noOrigin, noSuchHost, unknownHost } from './hosts.ts';
import { route } from './route.ts';

const ofOperators = { access: instance('operator', 'hosts') } as const;

export const hostQualityRoutes = [
  route({
    method: 'GET',
    path: '/v1/host-reviews',
    ...ofOperators,
    id: 'listHostReviews',
    summary: 'Hosts of poor quality and hosts left for later, the worst first',
    query: reviewQuery,
    answers: { 200: json('Hosts.', reviewList) },
    handler:
      ({ pool }) =>
      async ({ query: { cursor = '-1:0', limit = defaultReviewLimit, below = reviewQuality } }) => {
        const [quality = '-1', id = '0'] = cursor.split(':');
        const rows = await poorHosts(pool, below, Number(quality), Number(id), limit);
        const last = rows.at(-1);
        const ends = last === undefined || rows.length < limit;
        return {
          items: rows.map(({ id: _, ...quality }) => quality),
          next: ends ? null : `${String(last.quality)}:${String(last.id)}`,
        };
      },
  }),
  route({
    method: 'GET',
    path: '/v1/hosts/{origin}/quality',
    ...ofOperators,
    id: 'getHostQuality',
    summary: 'The quality of a host, and what the last look found',
    params: hostPath,
    answers: { 200: json('The quality.', hostQuality), 400: noOrigin, 404: unknownHost },
    handler:
      ({ pool }) =>
      async ({ params: { origin } }) => {
        const [row] = await qualitiesOf(pool, [origin]);
        return row ?? noSuchHost(origin);
      },
  }),
  route({
    method: 'PATCH',
    path: '/v1/hosts/{origin}/quality',
    ...ofOperators,
    id: 'pinHostQuality',
    summary: 'Pin the quality of a host, or leave it to the daily looks again',
    params: hostPath,
    body: qualityPin,
    answers: { 200: json('The quality from now on.', hostQuality), 400: noOrigin, 404: unknownHost },
    handler:
      (parts) =>
      async ({ params: { origin }, body: { quality } }) => {
        const { pool, log } = parts;
        if (!(await pinQuality(pool, origin, quality))) return noSuchHost(origin);
        await wake(parts, origin);
        log.info({ host: origin, quality }, 'the quality of a host was pinned, or taken back');
        const [row] = await qualitiesOf(pool, [origin]);
        return row ?? noSuchHost(origin);
      },
  }),
];
