/** What holds for every crawl: traps, leases, probes of parked hosts, and when ended crawls are deleted. */
import { decimal, whole } from '../values.ts';
import { nullable, setting } from './setting.ts';

export const crawlingSettings = {
  trapPages: setting({
    name: 'ORBWEAVER_TRAP_PAGES',
    type: 'number',
    schema: whole(100, 1_000_000_000),
    fallback: '1000',
    description:
      'Number of pages of a part of a site that must be read before the part is held as a trap, if they say nothing new; a tenth of a limit of the crawl, if that is less. Until then its URLs go behind all others. A part whose pages lead on without end takes twice as many.',
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
