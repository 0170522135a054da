/** Bodies that wait, for the statements of all owners. */
import { storedStages } from '../domain/stage.ts';

/** SQL: the body waits to be read as it was fetched. Pages that are rendered were read, and wait for others. */
export const isUnread = (row: string): string =>
  `${row}.stage > 0 and ${row}.stage < ${String(storedStages.render)}`;
