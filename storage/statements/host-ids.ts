import { statement } from '../statement.ts';

export const hostIds = statement<[origins: readonly string[]], { id: number; origin: string }>(
  'host-ids',
  `select id, origin from host where origin = any ($1)`,
);
