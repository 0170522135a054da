import { statement } from '../statement.ts';

/** A host whose lease is still the one it was lent under; it stays so until the transaction ends. */
export const lockLentHost = statement<[hostId: number, token: number], { id: number }>(
  'lock-lent-host',
  `select id from host where id = $1 and lease_token = $2 and lease_until > now() for update`,
);
