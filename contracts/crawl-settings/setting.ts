/** What a setting of a crawl says of itself. Its uses read its value in `CrawlConfig`. */
import type { z } from 'zod';

/** How a value is written on the command line, if it is more than a text, a number, yes or no, or a list of texts. */
export type SettingForm =
  /** JSON, or a file that holds JSON; `json-or-count`: or one number, or nothing */
  | 'json'
  | 'json-or-count'
  /** a YAML file */
  | 'rules'
  /** words, and files with examples */
  | 'focus'
  /** `Name: value`, one at a time */
  | 'headers'
  /** `depth=0.5,inbound=0.5` */
  | 'weights'
  /** a day stands for its first moment */
  | 'day'
  /** separated by commas */
  | 'blocks';

export interface CrawlSetting<S extends z.ZodType = z.ZodType> {
  /** Type and bounds. */
  readonly schema: S;
  /** What holds if nothing is given, also for crawls that are older than the setting. */
  readonly fallback: z.output<S>;
  /** What the setting means, for the API; absent: the schema says so. */
  readonly description?: string;
  /** The option of the command line. */
  readonly flags: string;
  /** What the option does, for its help, which adds what holds without the option. */
  readonly help: string;
  /** What holds without the option, if `fallback` does not speak for itself. */
  readonly without?: string;
  readonly form?: SettingForm;
  /** What a number counts, for the command line. */
  readonly unit?: 'seconds' | 'days';
  /** The setting must not change while a crawl runs. */
  readonly startOnly?: true;
}

/** A setting that may be edited while a crawl runs. */
export const setting = <S extends z.ZodType>(row: CrawlSetting<S> & { startOnly?: never }) => row;

/** A setting that is given at the start of a crawl, and holds to its end. */
export const startSetting = <S extends z.ZodType>(row: CrawlSetting<S>) =>
  ({ ...row, startOnly: true }) as const;
