import { statement } from '../statement.ts';

export const isHostParked = statement<[origin: string], { id: string; parked: boolean }>(
  'is-host-parked',
  `select id::text, parked_at is not null as parked from host where origin = $1`,
);
