/** What all hosts at one address, or of one registered domain, get together. */
import { maxCapRate } from '../../domain/caps.ts';
import { capRate, oneOf, whole } from '../values.ts';
import { nullable, setting } from './setting.ts';

export const capSettings = {
  addressRate: setting({
    name: 'ORBWEAVER_ADDRESS_RATE',
    type: '`off`, or requests per second',
    schema: capRate,
    fallback: '20',
    description:
      'Largest number of requests per second to one IP address (IPv6: to one /64), whatever hosts are there, by all workers together. A fraction of 1 is allowed. Give all workers and the API the same value.',
  }),
  addressInFlight: nullable({
    name: 'ORBWEAVER_ADDRESS_IN_FLIGHT',
    type: 'number',
    schema: whole(1, maxCapRate),
    fallback: null,
    defaultNote: 'as many as the rate',
    description: 'Largest number of requests in flight at one IP address. More than the rate has no effect.',
  }),
  domainRate: setting({
    name: 'ORBWEAVER_DOMAIN_RATE',
    type: '`off`, or requests per second',
    schema: capRate,
    fallback: 'off',
    description:
      'Largest number of requests per second to the hosts of one registered domain (by the public suffix list), by all workers together.',
  }),
  domainInFlight: nullable({
    name: 'ORBWEAVER_DOMAIN_IN_FLIGHT',
    type: 'number',
    schema: whole(1, maxCapRate),
    fallback: null,
    defaultNote: 'as many as the rate',
    description:
      'Largest number of requests in flight at the hosts of one registered domain. More than the rate has no effect.',
  }),
  capPrivate: setting({
    name: 'ORBWEAVER_CAP_PRIVATE',
    type: 'on or off',
    schema: oneOf(['on', 'off']),
    fallback: 'off',
    description:
      'Whether `ORBWEAVER_ADDRESS_RATE` holds for private addresses too. They are networks of your own, which crawls reach only if you allow it.',
  }),
} as const;
