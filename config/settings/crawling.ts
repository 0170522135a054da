/** What holds for every crawl: traps, leases, probes of parked hosts, and when ended crawls are deleted. */
import { decimal, whole } from '../values.ts';
import { nullable, setting } from './setting.ts';

export const crawlingSettings = {
  trapPages: setting({
    name: 'ORBWEAVER_TRAP_PAGES',
    type: 'number',
    schema: whole(100, 1_000_000_000),
    fallback: '2000',
    description:
      'A part of a site is a trap once so many of its pages in a row have led to little but unknown pages of the same kind, whatever they say. More for sites that are larger than that and hardly link back.',
  }),
  trapLinks: setting({
    name: 'ORBWEAVER_TRAP_LINKS',
    type: 'number',
    schema: whole(10, 1_000_000),
    fallback: '500',
    description:
      'URLs of a kind of which one page links to more than this go behind the others, until their pages have something to say.',
  }),
  trapUrlsPerDay: setting({
    name: 'ORBWEAVER_TRAP_URLS_PER_DAY',
    type: 'number',
    schema: whole(1_000, 1_000_000_000),
    fallback: '1000000',
    description: 'As `ORBWEAVER_TRAP_LINKS`, for the URLs of a kind that a host brings in one day.',
  }),
  leaseSeconds: setting({
    name: 'ORBWEAVER_LEASE_SECONDS',
    type: 'seconds',
    schema: decimal(1, 300),
    fallback: '8',
    description: 'How long a worker keeps the right to send requests to a host without renewing it.',
  }),
  probeSeconds: setting({
    name: 'ORBWEAVER_PROBE_SECONDS',
    type: 'seconds',
    schema: decimal(1, 86_400),
    fallback: '3600',
    description:
      'How soon a parked host is asked for its robots.txt, to see whether the host answers again. The time doubles after each try, up to a day.',
  }),
  retentionDays: nullable({
    name: 'ORBWEAVER_RETENTION_DAYS',
    type: 'days',
    schema: decimal(0, 36_500),
    fallback: null,
    defaultNote: 'none: crawls stay',
    description:
      'Days after its end at which a crawl and its data are deleted, unless the crawl has a retention of its own.',
  }),
} as const;
