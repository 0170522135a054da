/** What a format of exports is to the job that makes its file. */
import type { PageFilter } from '../../contracts/http/page-filter.ts';
import type { PageView } from '../../contracts/http/results.ts';
import type { PageField } from '../../contracts/page-fields.ts';
import type { StoredKind } from '../../domain/url-kind.ts';
import type { ArchiveReader } from '../../storage/archive/index.ts';
import type { Draft } from '../../storage/exports/index.ts';
import type { TextReader } from '../../storage/pages/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';

/** What forms read from. */
export interface ExportSources {
  readonly pool: Pool;
  readonly archive: Pick<ArchiveReader, 'answer' | 'ownAnswer' | 'get'>;
  readonly textOf: TextReader;
  /** Name and version, for files that say what made them. */
  readonly software: string;
}

export interface Making extends ExportSources {
  readonly crawlId: string;
  readonly filter: PageFilter;
  readonly draft: Draft;
  /** The fields that were asked for, and those that the form needs. */
  readonly fields: readonly PageField[];
  /** What `add` returned last; null: nothing was added yet. Plain JSON, and small: it is stored with each step. */
  readonly memory: unknown;
}

/** The part of the draft that becomes the file. */
export const whole = 'file';

export interface ExportForm {
  /** Pages of one step, at the end of which the job can be taken up again. */
  readonly pages: number;
  readonly needs: readonly PageField[];
  /** Kinds of URLs that it has; absent: pages alone. */
  readonly kinds?: readonly StoredKind[];
  /** Appends pages to the parts of the draft. Returns what is to be remembered. */
  add(making: Making, pages: readonly PageView[]): Promise<unknown>;
  /** Makes the part `file` whole. A killed process has it done again, from the last step on. */
  end(making: Making): Promise<void>;
}
