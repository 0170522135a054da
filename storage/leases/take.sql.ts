/** How a host is leased. */
import type { HostSettings } from '../../contracts/hosts.ts';
import { sliceReserve, guestReserve } from '../../domain/quota.ts';
import type { TroubleClass } from '../../domain/trouble.ts';
import { hostQuota, hostSettings, complainedAgo, slowdownNow } from '../hosts/index.ts';
import { statement } from '../postgres/index.ts';

export interface TakenLease {
  readonly token: number;
  /** The holder of the lease before this one did not return it, and may have a request in flight. */
  readonly unclean: boolean;
  /**
   * The crawl for which a foreign fetcher held the lease before this one; null: a worker of ours held it, or nobody.
   */
  readonly lent_crawl: number | null;
  /** An operator has paused the host; its retries are spent. */
  readonly paused: boolean;
  readonly parked: boolean;
  /** A foreign fetcher wants the host. */
  readonly fetcher_wants: boolean;
  /** Milliseconds until the host may be visited; the part that comes from its pace; the part that has other reasons. */
  readonly wait_ms: number;
  readonly pace_ms: number;
  readonly held_ms: number;
  /** These other reasons are that this installation had no room for answers. */
  readonly eased: boolean;
  /**
   * The slowdown after time has eased it (storage/hosts/slowdown.ts), and the facts that it is eased by
   * (domain/pace.ts); ages in milliseconds.
   */
  readonly slowdown: number;
  readonly clean: number;
  readonly since_complaint: number;
  readonly complained_age_ms: number | null;
  readonly failures: number;
  /** The last trouble, as `class: message`, and its class. */
  readonly last_error: string | null;
  readonly trouble: TroubleClass | null;
  /** The facts by which a failure is blamed on the host or on a URL (domain/blame.ts). */
  readonly failing: readonly string[];
  readonly complained: readonly string[];
  readonly well_age_ms: number | null;
  /** The host's outages (domain/host-memory.ts). */
  readonly outages: number;
  readonly outage_age_ms: number | null;
  /** The delay that the last slice went by, before any slowdown; null: there was none. */
  readonly base_delay_ms: number | null;
  /** Milliseconds since somebody asked for robots.txt to be read again; null: nobody has asked. */
  readonly robots_asked_ago_ms: number | null;
  /** The database's clock, in milliseconds since 1970. */
  readonly now_ms: number;
  /** Milliseconds since the head of the host's last answer, and how long that answer took; null: no answer is known. */
  readonly asked_ago_ms: number | null;
  readonly took_ms: number | null;
  /** The settings that an operator gave the host. */
  readonly settings: HostSettings;
  readonly settings_revision: number;
  /** Requests a day that the host's quality leaves it, if no quota is set; null: as many as any host. */
  readonly budget: number | null;
  /**
   * Requests that were counted for a day, that are reserved for this lease, and that were reserved by leases which were
   * not returned.
   */
  readonly requests_day: string | null;
  readonly requests_used: number;
  readonly requests_granted: number;
  readonly requests_lost: number;
}

/** The workers have had the host for less time than foreign fetchers had it in their last turn, which was a slow one. */
export const isOurs = `coalesce(ours_until > now(), false)`;

/** A foreign fetcher wants the host, and may have it once the workers have sent the requests of their turn. */
export const fetcherWants = `(coalesce(lend_wanted_until > now(), false) and not ${isOurs})`;

/** What each way to take a lease answers. */
export const takenColumns = `lease_token as token, old.lease_token is not null as unclean,
             (select l.crawl_id from lent_url l where l.host_id = old.id and l.token = old.lease_token) as lent_crawl,
             paused_at is not null as paused, parked_at is not null as parked, ${fetcherWants} as fetcher_wants,
             greatest(0, extract(epoch from not_before - now()) * 1000)::float8 as wait_ms,
             greatest(0, extract(epoch from paced_until - now()) * 1000)::float8 as pace_ms,
             case when not_before <= paced_until then 0
                  else greatest(0, extract(epoch from not_before - now()) * 1000) end::float8 as held_ms, eased,
             ${slowdownNow()} as slowdown, clean, since_complaint, ${complainedAgo} as complained_age_ms,
             failures, last_error, trouble, failing, complained,
             (extract(epoch from now() - well_at) * 1000)::float8 as well_age_ms, base_delay_ms, outages,
             (extract(epoch from now() - robots_asked_at) * 1000)::float8 as robots_asked_ago_ms,
             (extract(epoch from now() - outage_at) * 1000)::float8 as outage_age_ms,
             (extract(epoch from now()) * 1000)::float8 as now_ms,
             (extract(epoch from now() - asked_at) * 1000)::float8 as asked_ago_ms, took_ms,
             ${hostSettings()}, settings_revision, budget, requests_day, requests_used,
             requests_reserved - case when old.lease_token is null then 0 else old.requests_reserved end as requests_granted,
             case when old.lease_token is null then 0 else old.requests_reserved end as requests_lost`;

/** Adds to the reservation of requests (domain/quota.ts), on top of the requests of leases that were not returned. */
export const reserving = (requests: string): string =>
  `requests_reserved = case when lease_token is null then 0 else requests_reserved end + ${requests}`;

/** Requests that a lease reserves at first: enough for a slice if the host has no quota, otherwise none. */
export const byDefault = `case when ${hostQuota()} is null then ${String(sliceReserve)} else 0 end`;

/**
 * Takes the host's lease if it is free or has run out, and neither a guest nor a foreign fetcher waits. No row: the
 * lease was not taken.
 */
export const takeLease = statement<[hostId: string, leaseMs: number], TakenLease>('take-lease')`
   update host
      set lease_token = nextval('lease_token'), lease_until = now() + $2 * interval '1 millisecond', idle = false,
          ${reserving(byDefault)}
    where id = $1
      and (lease_token is null or lease_until < now())
      and coalesce(guest_until, '-infinity') < now()
      and coalesce(lend_until, '-infinity') < now()
   returning ${takenColumns}`;

/**
 * As `takeLease`, for a guest. What the guest asked for with `ask-guest-lease` runs out by itself, since other guests
 * may be asking too.
 */
export const takeGuestLease = statement<[hostId: number, leaseMs: number], TakenLease>('take-guest-lease')`
   update host
      set lease_token = nextval('lease_token'), lease_until = now() + $2 * interval '1 millisecond',
          ${reserving(String(guestReserve))}
    where id = $1 and (lease_token is null or lease_until < now())
   returning ${takenColumns}`;

/** Asks the holder of a host's lease to make room for one request by the slice of another host. */
export const askGuestLease = statement<[hostId: number, forMs: number]>('ask-guest-lease')`
   update host set guest_until = now() + $2 * interval '1 millisecond' where id = $1`;
