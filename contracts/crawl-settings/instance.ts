/** What the instance grants to a crawl. */
import { z } from 'zod';
import { setting, startSetting } from './setting.ts';

export const instance = {
  retentionDays: setting({
    schema: z.number().min(0).max(36_500).nullable(),
    fallback: null,
    description:
      'Days after its end at which the crawl and its data are deleted; null: as ORBWEAVER_RETENTION_DAYS says.',
    flags: '--retention <days>',
    help: 'delete the crawl and its data this many days after its end',
    without: 'as set for the instance',
    unit: 'days',
  }),
  allowPrivate: startSetting({
    schema: z
      .array(z.union([z.cidrv4(), z.cidrv6()], 'not a CIDR block such as 10.0.0.0/8 or fd00::/8'))
      .max(1_000),
    fallback: [],
    description:
      'CIDR blocks of private or special addresses that this crawl may reach. Only crawls of the first tenant may set this.',
    flags: '--allow-private <cidr>',
    help: 'blocks of private addresses that may be reached, such as 127.0.0.0/8,10.0.0.0/8',
    without: 'as set for the instance',
    form: 'blocks',
  }),
};
