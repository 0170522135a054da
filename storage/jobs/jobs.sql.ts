/**
 * Jobs on record, of whatever kind. While a job is worked at it has an owner. Whoever takes it up becomes its owner, and
 * the one before, which may only be frozen, can note nothing more.
 */
import type { JobKind } from '../../contracts/jobs.ts';
import { statement } from '../postgres/index.ts';

/** As the table `job` has it. The shapes of `detail`, `progress` and `place` are the kind's own. */
export interface JobRow<Detail extends object = object, Progress extends object = object, Place = unknown> {
  readonly id: string;
  readonly crawl_id: string;
  readonly state: 'waiting' | 'running' | 'finished' | 'failed' | 'cancelled';
  readonly detail: Detail;
  readonly progress: Progress;
  readonly place: Place | null;
  readonly error: string | null;
  readonly created_at: Date;
  readonly ended_at: Date | null;
}

const columns = `j.id::text, j.crawl_id::text, j.state, j.detail, j.progress, j.place, j.error, j.created_at, j.ended_at`;

/** The statements of a kind. @param again a finished job may have more to do by now */
export const jobsOf = <Row extends JobRow>(kind: JobKind, again = false) => {
  const open = `j.kind = '${kind}' and j.state in ('waiting', 'running')`;
  return {
    kind,

    /** No row: the crawl has as many jobs of the kind that have not ended as it may have. */
    add: statement<
      [crawlId: string, detail: Row['detail'], progress: Row['progress'], most: number],
      { id: string }
    >(`add-${kind}`)`
   insert into job (kind, crawl_id, detail, progress)
   select '${kind}', $1, $2, $3 where (select count(*) from job j where ${open} and crawl_id = $1) < $4
   returning id::text`,

    /** The latest first, below an id. */
    list: statement<[crawlId: string, below: string, limit: number], Row>(`list-${kind}`)`
   select ${columns} from job j
    where kind = '${kind}' and crawl_id = $1 and id < $2::bigint order by j.id desc limit $3`,

    find: statement<[crawlId: string, id: string], Row>(`find-${kind}`)`
   select ${columns} from job j where kind = '${kind}' and crawl_id = $1 and id = $2`,

    /** From now on the job is the owner's; `before` has not given it back. No row: it has ended, or its crawl is gone. */
    claim: statement<[id: string, owner: string], Row & { readonly before: string | null }>(`claim-${kind}`)`
   update job j set owner = $2, state = 'running'${again ? ', ended_at = null' : ''}
    where kind = '${kind}' and id = $1 and state in ('waiting', 'running'${again ? ", 'finished'" : ''})
      and exists (select from crawl c where c.id = j.crawl_id and c.removed_at is null)
   returning ${columns}, old.owner as before`,

    /**
     * Notes how far a job is, or its end. `next`: {state, place, progress, error}. `holds`: the owner goes on with it. No
     * row: the job is somebody else's by now, or has ended.
     */
    note: statement<[id: string, owner: string, next: string, holds: boolean], { id: string }>(
      `note-${kind}`,
    )`
   update job j
      set state = n.state, place = n.place, progress = n.progress, error = n.error,
          ended_at = coalesce(j.ended_at, case when n.state <> 'running' or n.error is not null then now() end),
          owner = case when $4 then j.owner end
     from json_to_record($3) n (state job_state, place jsonb, progress jsonb, error text)
    where kind = '${kind}' and j.id = $1 and j.owner = $2 and j.state = 'running'
   returning j.id::text`,

    /** The owner has stopped. */
    release: statement<[id: string, owner: string]>(`release-${kind}`)`
   update job set owner = null where kind = '${kind}' and id = $1 and owner = $2`,

    /** @param crawlId null: whichever crawl it is of. No row: there is no such job, or it has ended. */
    cancel: statement<[id: string, crawlId: string | null], { id: string }>(`cancel-${kind}`)`
   update job j set state = 'cancelled', ended_at = now()
    where ${open} and id = $1 and ($2::bigint is null or crawl_id = $2)
   returning id::text`,

    /** Jobs that were asked for a while ago and have not ended, by their ids. */
    open: statement<[after: string, limit: number], { id: string; crawl: string }>(`open-${kind}`)`
   select id::text, crawl_id::text as crawl from job j
    where ${open} and created_at < now() - interval '10 seconds' and id > $1::bigint order by j.id limit $2`,

    /** Forgets a job. */
    drop: statement<[id: string], { id: string }>(`drop-${kind}`)`
   delete from job where kind = '${kind}' and id = $1 returning id::text`,
  };
};

/** As whoever works at jobs takes them. */
export type JobsOf<Row extends JobRow> = ReturnType<typeof jobsOf<Row>>;
