-- As for contents before: while Postgres has not counted the tables that have a row for each page (in the first minutes of
-- a new instance, whose connections keep the plans that they make then), it knows no key in them and walks over all pages
-- of a crawl, or over all that wait, for each one that a statement names. So it is told what its own count would say: how
-- many different values a column has (below 0: for each row).
select pg_restore_attribute_stats('schemaname', current_schema()::text, 'relname', c.name, 'attname', c.attribute,
                                  'inherited', false, 'null_frac', 0::real, 'avg_width', 16, 'n_distinct', c.values::real)
  from (values
         ('url', 'host_id', -0.01),
         ('url', 'crawl_id', 1),
         ('url', 'key', -1),
         ('url', 'content_id', -1),
         ('url', 'content_hash', -1),
         ('url', 'alias_key', -0.1),
         ('url', 'state', 6),
         ('url', 'stage', 3),
         ('url', 'kind', 4),
         ('reading', 'crawl_id', 1),
         ('reading', 'content_id', -1),
         ('reading', 'job_id', 1),
         ('reading', 'text_hash', -1)) c(name, attribute, values);
