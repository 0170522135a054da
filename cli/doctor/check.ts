/** A check of `doctor` as a value: what it looks at, and what it says. */
import type { Config } from '../../config/config.ts';
import type { DatabaseLook } from '../stack/prepare-database.ts';
import type { StackInfo } from '../../stack/info.ts';

export interface Problem {
  /** One sentence: what is found. */
  readonly says: string;
  /** One sentence: what to do. */
  readonly cure: string;
  /** False: Orbweaver works as it is, with less than it could have. */
  readonly must: boolean;
}

/** The services of a stack that runs, or that runs for the moment. */
export type Services = Pick<StackInfo, 'postgresUrl' | 'temporalAddress' | 'temporalNamespace'>;

/** What a check may look at. */
export interface Place {
  readonly config: Config;
  /** The stack that runs on the data folder; null: none does. */
  readonly running: StackInfo | null;
}
export interface ServedPlace extends Place {
  readonly services: Services;
  /** What the database says of itself. */
  readonly database: DatabaseLook;
}

/** What is fine, as a sentence; or what is not. */
export type Found = string | readonly Problem[];

export interface Check<P extends Place = Place> {
  readonly name: string;
  /** An error that is thrown is a problem that must be cured. */
  readonly look: (place: P) => Found | Promise<Found>;
}

export const must = (says: string, cure: string): Problem => ({ says, cure, must: true });
export const may = (says: string, cure: string): Problem => ({ says, cure, must: false });

/** @param fine said if there is no problem */
export const unless = (problems: readonly (Problem | null)[], fine: string): Found => {
  const found = problems.filter((problem) => problem !== null);
  return found.length === 0 ? fine : found;
};
