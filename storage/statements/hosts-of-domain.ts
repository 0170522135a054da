import { statement } from '../statement.ts';

export interface HostOfDomain {
  readonly id: string;
  readonly origin: string;
}

/**
 * Hosts at a domain or below it, at any port, that have URLs queued, or URLs that an opt-out excluded.
 * '/' is the character after '.': what lies between is below the domain.
 */
export const hostsOfDomain = statement<[domain: string], HostOfDomain>(
  'hosts-of-domain',
  `with met as materialized (
     select id, origin from host
      where (reversed_host_name(origin) collate "C" = reverse($1)
             or (reversed_host_name(origin) collate "C" > reverse($1) || '.'
                 and reversed_host_name(origin) collate "C" < reverse($1) || '/'))
   )
   select id::text, origin from met h
    where exists (select from host_queue q where q.host_id = h.id and q.queued > 0)
       or exists (select from url u where u.host_id = h.id and u.state = 'excluded' and u.reason = 'opt-out')
    order by id`,
);
