-- Re-extractions are rows of `job`, as exports and indexes are. `progress.phase` is what people see once bodies are no
-- longer read; one that has something left to do is `waiting` or `running`.

alter table reading_in_use drop constraint reading_in_use_job_id_fkey;

insert into job (kind, id, crawl_id, state, error, created_at, ended_at, detail, place, progress)
select 'reextraction', id, crawl_id,
       case when state in ('waiting', 'running') then state::text
            when state in ('keeping', 'removing') or settled < turns
                 or (has_pages and state in ('failed', 'cancelled')) then 'waiting'
            else 'finished' end::job_state,
       reason, created_at, ended_at, jsonb_build_object('until', until), to_jsonb(place),
       jsonb_build_object(
         'phase', case when state in ('waiting', 'running') then 'reading' else state::text end,
         'isInUse', exists (select from reading_in_use v where v.job_id = r.id), 'isSettled', settled = turns,
         'extractor', extractor, 'pages', pages,
         'tally', '{"equal": 0, "different": 0, "fields": {}, "unread": {}, "linksFound": 0, "linksGone": 0,
                    "samples": {}}'::jsonb || tally)
  from reextraction r;
select setval('job_id_seq', max(id)) from job having count(*) > 0;

drop table reextraction;
drop type reextraction_state;
