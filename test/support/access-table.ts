/** Who may use which route, by `GET /v1/crawls/{crawlId}`, as the routes themselves say it. */
import { routes } from '../../api/routes/table.ts';
import type { Access } from '../../api/way-in/access.ts';

export const accessTable: Readonly<Record<string, Access>> = Object.fromEntries(
  routes.map(({ method, path, access }) => [`${method} ${path}`, access]),
);
