/** Strings of scripts can hold what Postgres refuses: NUL, and halves of surrogate pairs. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '');
