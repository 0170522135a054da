/** Which pages `pages` and `export` write: options, read by the schemas of the API's query. */
import { pageFilter, type PageFilter } from '../../contracts/http/page-filter.ts';
import { judged } from '../judged.ts';

export const pageOptions = {
  '--host <origin>': 'only pages of this host, such as https://example.com',
  '--status <status>': 'only pages with this status, or with a status of this class, such as 404 or 4xx',
  '--type <media type>': 'only pages of this media type, such as text/html or image/*',
  '--since <instant>': 'only pages answered at this instant or later, such as 2031-01-01T00:00:00Z',
} as const;

const optionOf: Readonly<Record<keyof PageFilter, string>> = {
  host: '--host',
  status: '--status',
  contentType: '--type',
  since: '--since',
};

/** The filter in the form of the API's query. @throws CommandError on the first wrong option */
export function pageQuery(
  given: Readonly<Record<'host' | 'status' | 'type' | 'since', string | undefined>>,
): { readonly [name in keyof PageFilter]: string | undefined } {
  const { host, status, type, since } = given;
  const query = { host, status, contentType: type, since };
  judged(pageFilter, query, ([field]) => optionOf[field as keyof PageFilter]);
  return query;
}
