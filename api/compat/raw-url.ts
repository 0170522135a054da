/**
 * Some programs send the URL of `GET /api/v1/{url}/status` as it is, with slashes and query; such requests are
 * understood too.
 */
import type { RequestHandler } from 'express';

const statusOfRawUrl = /^\/api\/v1\/(https?:\/.+)\/status$/is;

/** Mount before every handler that looks at the path. After this handler the URL is one segment, percent-encoded. */
export const encodeRawUrl: RequestHandler = (request, _response, next) => {
  const [, url] = statusOfRawUrl.exec(request.url) ?? [];
  if (url !== undefined) request.url = `/api/v1/${encodeURIComponent(url)}/status`;
  next();
};
