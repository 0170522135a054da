import { statement } from '../statement.ts';

/** Once a minute at most, whichever process saw the key used. */
export const noteKeyUse = statement<[id: string], Record<string, never>>(
  'note-key-use',
  `update api_key set last_used_at = date_trunc('minute', now())
    where id = $1::uuid and coalesce(last_used_at < now() - interval '1 minute', true)`,
);
