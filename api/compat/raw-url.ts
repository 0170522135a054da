/** Programs that send the URL of `GET /api/v1/{url}/status` as it is, slashes and query included, are understood too. */
import type { RequestHandler } from 'express';

const statusOfRawUrl = /^\/api\/v1\/(https?:\/.+)\/status$/is;

/** Mounted before whatever looks at the path: from there on the URL is one segment, percent-encoded. */
export const encodeRawUrl: RequestHandler = (request, _response, next) => {
  const [, url] = statusOfRawUrl.exec(request.url) ?? [];
  if (url !== undefined) request.url = `/api/v1/${encodeURIComponent(url)}/status`;
  next();
};
