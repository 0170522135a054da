/** The filter of `pages` and `export`: options (result-verbs.ts), read by the schema of the API's query. */
import { pageFilter, type PageFilter } from '../../contracts/http/page-filter.ts';
import { inWords } from '../../contracts/http/wording.ts';
import { CommandError } from '../ending.ts';

/** As given on the command line. */
export interface PageFilterOptions {
  readonly host?: string;
  readonly status?: string;
  readonly type?: string;
  readonly since?: string;
}

const optionOf = {
  host: '--host',
  status: '--status',
  contentType: '--type',
  since: '--since',
} as const satisfies Record<keyof PageFilter, string>;

/** The filter in the form of the API's query. @throws CommandError on the first wrong option */
export function readPageFilter({ host, status, type, since }: PageFilterOptions): {
  readonly query: { readonly [name in keyof PageFilter]: string | undefined };
  readonly filter: PageFilter;
} {
  const query = { host, status, contentType: type, since };
  const { data, error } = pageFilter.safeParse(query, { error: inWords });
  if (data !== undefined) return { query, filter: data };
  const [issue] = error.issues;
  const option = optionOf[String(issue?.path[0]) as keyof PageFilter];
  throw new CommandError(`${option} cannot be used: ${issue?.message ?? 'it is not valid'}.`);
}
