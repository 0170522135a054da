/** Hosts: where they stand, and the settings that an operator gives them. */
import {
  defaultHostLimit,
  hostChanged,
  hostList,
  hostPath,
  hostSettingsChange,
  hostsQuery,
  hostView,
  mostHostsLooked,
} from '../../contracts/hosts.ts';
import { compilePattern } from '../../domain/pattern.ts';
import type { Regions } from '../../domain/regions.ts';
import { shardOf } from '../../domain/shard.ts';
import { hostsAfter, hostsFitting, readHost, setHost } from '../../storage/hosts/index.ts';
import { currentOutages } from '../../storage/instance/index.ts';
import { wake } from '../wake.ts';
import { instance } from '../way-in/access.ts';
import { noteForAudit } from '../way-in/audit-log.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { fails, ifMatch, ifNoneMatch, json, tagged } from './answers.ts';
import { ifMatchOf, refuseStale } from './preconditions.ts';
import { route } from './route.ts';

const ofOperators = { access: instance('operator', 'hosts') } as const;

export const noOrigin = fails('The path does not name an origin.');
export const unknownHost = fails('No crawl has met the host, and it has no settings.');

export function noSuchHost(origin: string): never {
  throw new HttpProblem(404, `No crawl has met ${origin}, and it has no settings.`);
}

/** A host of a region that nobody serves would be fetched from anywhere, against what was asked for. */
function refuseUnknownRegion(region: string | null, regions: Regions | undefined): void {
  if (region === null || regions?.nearest.has(region) === true) return;
  const names = [...(regions?.nearest.keys() ?? [])].join(', ');
  throw new HttpProblem(
    422,
    names === ''
      ? 'This instance has no regions (ORBWEAVER_REGIONS).'
      : `There is no region ${region}. Regions: ${names}.`,
  );
}

export const hostRoutes = [
  route({
    method: 'GET',
    path: '/v1/hosts',
    ...ofOperators,
    id: 'listHosts',
    summary:
      'Hosts that crawls have met or that have settings; all, those in one state, or with a matching origin',
    query: hostsQuery,
    answers: { 200: json('Hosts.', hostList) },
    handler:
      ({ pool, settings: { regions } }) =>
      async ({ query: { cursor: after = null, state = null, match, limit = defaultHostLimit } }) => ({
        ...(match === undefined
          ? await hostsAfter(pool, after, state, limit, regions)
          : await hostsFitting(
              pool,
              { after, state, fits: compilePattern(match), limit, looks: mostHostsLooked },
              regions,
            )),
        outages: await currentOutages(pool),
      }),
  }),
  route({
    method: 'GET',
    path: '/v1/hosts/{origin}',
    ...ofOperators,
    id: 'getHost',
    summary: 'A host: its state, settings, requests of the day and crawls',
    params: hostPath,
    header: ifNoneMatch,
    answers: { 200: tagged('The host.', hostView), 400: noOrigin, 404: unknownHost },
    handler:
      ({ pool, settings: { regions } }) =>
      async ({ params: { origin } }) =>
        (await readHost(pool, origin, regions)) ?? noSuchHost(origin),
  }),
  route({
    method: 'PATCH',
    path: '/v1/hosts/{origin}/settings',
    ...ofOperators,
    id: 'setHost',
    summary: 'Change settings of a host; they take effect within a second',
    params: hostPath,
    header: ifMatch,
    body: hostSettingsChange,
    answers: {
      200: tagged('The host with its new settings.', hostChanged),
      400: fails(
        'The path does not name an origin, the body is not valid JSON, or If-Match is not well-formed.',
      ),
      422: fails('The body is not valid, the windows never open, or there is no such region.'),
    },
    handler:
      (parts) =>
      async ({ params: { origin }, body: change, request, response }) => {
        const { pool, log, settings } = parts;
        refuseUnknownRegion(change.region ?? null, settings.regions);
        const shard = shardOf(origin, settings.shards);
        if (!(await setHost(pool, origin, shard, change, ifMatchOf(request))))
          return refuseStale(response, await readHost(pool, origin, settings.regions));
        log.info({ host: origin, change }, 'settings of a host were changed');
        const woken = await wake(parts, origin);
        const host = await readHost(pool, origin, settings.regions);
        if (host === null) throw new Error(`the row of host ${origin} is gone`);
        noteForAudit(response, `revision ${String(host.version)}: ${Object.keys(change).join(', ')}`);
        return { ...host, body: { ...host.body, woken } };
      },
  }),
];
