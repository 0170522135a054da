/** Opt-outs, which keep a domain out of every crawl, and complaints about the crawler. */
import { z } from 'zod';
import {
  complaintList,
  complaintQuery,
  complaintView,
  defaultComplaintLimit,
  defaultOptOutLimit,
  domainPath,
  newComplaint,
  newOptOut,
  optOutAdded,
  optOutList,
  optOutPreview,
  optOutQuery,
  optOutRemoved,
} from '../../contracts/opt-out.ts';
import { counted } from '../../domain/counted.ts';
import { observe } from '../../engine/metrics/counters.ts';
import {
  complaintsBefore,
  isPublicSuffix,
  reachOfOptOut,
  storeComplaint,
  optOut,
  optOutsAfter,
  takeBackOptOut,
} from '../../storage/opt-outs/index.ts';
import { instance } from '../way-in/access.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { fails, json, made } from './answers.ts';
import { route } from './route.ts';

const ofOperators = { access: instance('operator', 'opt-outs') } as const;

export const optOutRoutes = [
  route({
    method: 'POST',
    path: '/v1/opt-outs',
    ...ofOperators,
    id: 'addOptOut',
    summary: 'Opt a domain out of every crawl; after the answer, no further request is sent to it',
    body: newOptOut,
    answers: {
      200: json(
        'The domain had already opted out; or, with dryRun, what the opt-out would exclude.',
        z.union([optOutAdded, optOutPreview]),
      ),
      201: made('The domain has opted out. The answer takes two to twenty seconds.', optOutAdded),
      422: fails('The body is not valid, or the domain is a public suffix and publicSuffix is not true.'),
    },
    handler:
      ({ pool, log }) =>
      async ({ body: { domain, reason = null, publicSuffix = false, dryRun = false }, response }) => {
        const isSuffix = isPublicSuffix(domain);
        if (dryRun || (isSuffix && !publicSuffix)) {
          const [reach = { hosts: 0, urls: 0 }] = await reachOfOptOut(pool, domain);
          if (!dryRun) refuseSuffix(domain, reach);
          response.status(200);
          return { domain, publicSuffix: isSuffix, ...reach };
        }
        const since = performance.now();
        const added = await optOut(pool, domain, reason);
        observe('opt_out_duration_seconds', (performance.now() - since) / 1_000);
        log.info({ domain, excluded: added.excluded }, 'a domain has opted out');
        response.status(added.added ? 201 : 200).location(`/v1/opt-outs/${encodeURIComponent(domain)}`);
        return added;
      },
  }),
  route({
    method: 'GET',
    path: '/v1/opt-outs',
    ...ofOperators,
    id: 'listOptOuts',
    summary: 'Domains that have opted out, by name',
    query: optOutQuery,
    answers: { 200: json('Domains.', optOutList) },
    handler:
      ({ pool }) =>
      async ({ query: { cursor = null, limit = defaultOptOutLimit } }) => {
        const items = await optOutsAfter(pool, cursor, limit);
        return { items, next: items.length < limit ? null : (items.at(-1)?.domain ?? null) };
      },
  }),
  route({
    method: 'DELETE',
    path: '/v1/opt-outs/{domain}',
    ...ofOperators,
    id: 'removeOptOut',
    summary: 'Remove an opt-out; in open crawls, the URLs that it excluded are queued again',
    params: domainPath,
    answers: {
      200: json('The opt-out is removed.', optOutRemoved),
      400: fails('The path does not name a domain.'),
      404: fails('The domain has not opted out.'),
    },
    handler:
      ({ pool, log }) =>
      async ({ params: { domain } }) => {
        const removed = await takeBackOptOut(pool, domain);
        if (removed === null) throw new HttpProblem(404, `${domain} has not opted out.`);
        log.info({ domain }, 'an opt-out was removed');
        return removed;
      },
  }),
  route({
    method: 'POST',
    path: '/v1/complaints',
    ...ofOperators,
    id: 'addComplaint',
    summary: 'Store a complaint about the crawler; a complaint is not an opt-out',
    body: newComplaint,
    answers: { 201: json('The complaint is stored and counted.', complaintView) },
    handler:
      ({ pool }) =>
      ({ body: { domain, text, contact = null } }) =>
        storeComplaint(pool, domain, text, contact),
  }),
  route({
    method: 'GET',
    path: '/v1/complaints',
    ...ofOperators,
    id: 'listComplaints',
    summary: 'Complaints, newest first; all, or those about one domain',
    query: complaintQuery,
    answers: { 200: json('Complaints.', complaintList) },
    handler:
      ({ pool }) =>
      async ({ query: { domain = null, cursor = null, limit = defaultComplaintLimit } }) => {
        const items = await complaintsBefore(pool, domain, cursor, limit);
        return { items, next: items.length < limit ? null : (items.at(-1)?.id ?? null) };
      },
  }),
];

/** One slip of the keyboard, `com` for `example.com`, would end every crawl that there is. */
function refuseSuffix(
  domain: string,
  { hosts, urls }: { readonly hosts: number; readonly urls: number },
): never {
  const message = `${domain} is a public suffix: others have their domains under it. The opt-out would reach ${counted(hosts, 'known host')} and exclude ${counted(urls, 'queued URL')}. Send publicSuffix: true if that is meant (--public-suffix on the command line)`;
  throw new HttpProblem(422, `domain: ${message}.`, { errors: [{ path: 'domain', message }] });
}
