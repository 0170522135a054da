import { statement } from '../statement.ts';
import { puttingBack } from './reclaim-urls.ts';

/**
 * Puts back URLs of paused hosts whose worker was killed: nobody visits such a host until it is resumed, so nobody else
 * reclaims them. The expired lease is given to nobody, so that its holder, frozen perhaps, cannot go on with these
 * URLs, and the next holder is still told that the lease was not returned. Lent URLs go back by their own time.
 */
export const reclaimPaused = statement<[limit: number], { state: string }>(
  'reclaim-paused',
  `with gone as materialized (
     select h.id from host h
      where h.paused_at is not null and h.lease_until < now()
        and not exists (select from lent_url l where l.token = h.lease_token)
        and exists (select from url u where u.host_id = h.id and u.state = 'leased')
      order by h.id limit $1
      for update skip locked
   ), fenced as (
     update host h set lease_token = nextval('lease_token') from gone where h.id = gone.id returning h.id
   ), ${puttingBack('fenced join url u on u.host_id = fenced.id where true')}`,
);
