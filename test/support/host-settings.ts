/** Settings that a host has had all along. */
import type { HostSettingsChange } from '../../contracts/hosts.ts';
import type { Queryable } from '../../storage/postgres/index.ts';

/** Unlike `setHost`, it forgets no pace and no closing, and tells no slice under way. @param host its id or its origin */
export async function hadSettings(
  db: Queryable,
  host: string | number,
  settings: HostSettingsChange,
): Promise<void> {
  const { rowCount } = await db.query({
    text: 'update host set settings = jsonb_strip_nulls(settings || $2) where $1 in (id::text, origin)',
    values: [String(host), JSON.stringify(settings)],
  });
  if (rowCount !== 1) throw new Error(`there is no host ${String(host)}`);
}
