/** What a setting says of itself. */
import type { z } from 'zod';
import type { Environment } from '../folders.ts';

export interface Setting<T> {
  /** Name in the environment and in the settings file. */
  readonly name: string;
  /** For people: what may stand there. */
  readonly type: string;
  readonly schema: z.ZodType<T, string>;
  /**
   * Text that is read when the setting is absent; a function where it depends on the machine. Null: the value is
   * null when absent, and `defaultNote` says what that means.
   */
  readonly fallback: string | ((env: Environment) => string) | null;
  /** For people, where `fallback` does not speak for itself. */
  readonly defaultNote?: string;
  readonly description: string;
  /** Never printed or logged. */
  readonly secret?: true;
}

type Required<T> = Omit<Setting<T>, 'fallback'> & {
  readonly fallback: string | ((env: Environment) => string);
};
export type Nullable<T> = Omit<Setting<T>, 'fallback'> & {
  readonly fallback: null;
  readonly defaultNote: string;
};

export const setting = <T>(row: Required<T>): Required<T> => row;
export const nullable = <T>(row: Nullable<T>): Nullable<T> => row;
