import { statement } from '../statement.ts';

/** 32 bytes that only this database knows. */
export const cursorSecret = statement<[], { secret: Buffer }>(
  'cursor-secret',
  `select cursor_secret as secret from instance`,
);
