import { statement } from '../statement.ts';

/** What a host has taught (domain/host-memory.ts); ages in milliseconds. */
export interface LessonsRow {
  readonly failing: readonly string[];
  readonly complained: readonly string[];
  readonly well_age_ms: number | null;
  readonly outages: number;
  readonly outage_age_ms: number | null;
  readonly slowdown: number;
  readonly clean: number;
  readonly since_complaint: number;
  readonly complained_age_ms: number | null;
  readonly base_delay_ms: number | null;
  /** Of the host's settings it was learnt under: whoever sets a delay has set the slowdown back since. */
  readonly revision: number;
}

/** Keeps it, under the host's lease. @param lessons a `LessonsRow` */
export const saveLessons = statement<[hostId: string, token: number, lessons: string], Record<string, never>>(
  'save-lessons',
  `update host
      set failing = l.failing, complained = l.complained, outages = l.outages,
          well_at = now() - l.well_age_ms * interval '1 millisecond',
          outage_at = now() - l.outage_age_ms * interval '1 millisecond',
          slowdown = case when settings_revision = l.revision then l.slowdown else host.slowdown end,
          clean = case when settings_revision = l.revision then l.clean else host.clean end,
          since_complaint = l.since_complaint,
          complained_at = now() - l.complained_age_ms * interval '1 millisecond',
          base_delay_ms = l.base_delay_ms
     from json_to_record($3) as l(
       failing text[], complained text[], well_age_ms float8, outages int, outage_age_ms float8, slowdown smallint,
       clean int, since_complaint int, complained_age_ms float8, base_delay_ms real, revision bigint)
    where id = $1 and lease_token = $2`,
);
