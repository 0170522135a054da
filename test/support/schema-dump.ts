/** A database's schema as text, read from the catalogs of Postgres: the same schema gives the same text. */
import type { Queryable } from '../../storage/postgres/index.ts';

const parts = [
  // Types
  `select format('create type %I as enum (%s);', t.typname,
                 (select string_agg(quote_literal(e.enumlabel), ', ' order by e.enumsortorder)
                    from pg_enum e where e.enumtypid = t.oid)) as text
     from pg_type t where t.typtype = 'e' and t.typnamespace = 'public'::regnamespace order by t.typname`,
  // Sequences that belong to no column
  `select format('create sequence %I as %s;', c.relname, format_type(s.seqtypid, null)) as text
     from pg_sequence s join pg_class c on c.oid = s.seqrelid
    where c.relnamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype in ('a', 'i'))
    order by c.relname`,
  // Tables, with their columns and constraints
  `select format(E'create table %I (\\n%s\\n)%s;', c.relname,
     (select string_agg('  ' || line, E',\\n' order by kind, place)
        from (select 1 as kind, a.attnum::int as place,
                     concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod),
                       case when a.attcollation <> t.typcollation then format('collate %s', a.attcollation::regcollation) end,
                       case when a.attnotnull then 'not null' end,
                       case when a.attidentity = 'a' then 'generated always as identity' end,
                       case when a.attgenerated <> '' then format('generated always as (%s)%s', pg_get_expr(d.adbin, d.adrelid),
                                 case when a.attgenerated = 's' then ' stored' else ' virtual' end)
                            else 'default ' || pg_get_expr(d.adbin, d.adrelid) end) as line
                from pg_attribute a join pg_type t on t.oid = a.atttypid
                left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
               where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
              union all
              select 2, row_number() over (order by k.conname),
                     format('constraint %I %s', k.conname, pg_get_constraintdef(k.oid))
                from pg_constraint k where k.conrelid = c.oid and k.contype <> 'n') lines),
     coalesce(' with (' || array_to_string(c.reloptions, ', ') || ')', '')) as text
     from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname <> 'migration'
    order by c.relname`,
  // Views
  `select format(E'create view %I as\n%s', c.relname, pg_get_viewdef(c.oid, true)) as text
     from pg_class c where c.relkind = 'v' and c.relnamespace = 'public'::regnamespace order by c.relname`,
  // Indexes that no constraint makes
  `select pg_get_indexdef(i.indexrelid) || ';' as text
     from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = 'public'::regnamespace and i.indrelid <> 'migration'::regclass
      and not exists (select from pg_constraint k where k.conindid = i.indexrelid)
    order by c.relname`,
  `select pg_get_functiondef(p.oid) || ';' as text
     from pg_proc p where p.pronamespace = 'public'::regnamespace order by p.proname`,
  `select pg_get_triggerdef(t.oid) || ';' as text
     from pg_trigger t where not t.tgisinternal order by t.tgname`,
];

export async function schemaText(db: Queryable): Promise<string> {
  const texts: string[] = [];
  for (const part of parts) {
    const { rows } = await db.query<{ text: string }>(part);
    texts.push(...rows.map((row) => row.text));
  }
  return texts.join('\n\n') + '\n';
}
