import { statement } from '../statement.ts';

export const measureDeadLetters = statement<[], { class: string; letters: number }>(
  'measure-dead-letters',
  `select class, count(*) as letters from dead_letter group by class`,
);
