-- A body is looked up by crawl and hash. `content_id` begins with the crawl too, and while Postgres has not counted the
-- table (in the first minute of a new instance) it takes that index for the cheaper one and walks over all bodies of the
-- crawl for each. So it is told what its own count would say: hardly any crawls, and a hash for each body.
select pg_restore_attribute_stats('schemaname', current_schema()::text, 'relname', 'content', 'attname', 'crawl_id',
                                  'inherited', false, 'null_frac', 0::real, 'avg_width', 8, 'n_distinct', 1::real),
       pg_restore_attribute_stats('schemaname', current_schema()::text, 'relname', 'content', 'attname', 'hash',
                                  'inherited', false, 'null_frac', 0::real, 'avg_width', 33, 'n_distinct', -1::real),
       pg_restore_attribute_stats('schemaname', current_schema()::text, 'relname', 'content', 'attname', 'id',
                                  'inherited', false, 'null_frac', 0::real, 'avg_width', 8, 'n_distinct', -1::real);
