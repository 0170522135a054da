/** Bodies that wait, for the statements of all owners. */
import { storedStages } from '../domain/stage.ts';

/** SQL: the page is being rendered: it waits for the browser, or for what its scripts asked for. */
export const isRendering = (row: string): string => `${row}.stage >= ${String(storedStages.render)}`;

/** SQL: the body waits to be read as it was fetched. Pages that are rendered were read, and wait for others. */
export const isUnread = (row: string): string =>
  `${row}.stage > 0 and ${row}.stage < ${String(storedStages.render)}`;
