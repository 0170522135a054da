/** Serves one file by ranges (RFC 9110 §14), as players of archives ask for it. */
import { createReadStream, statSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';

export function sendRange(file: string, request: IncomingMessage, response: ServerResponse): void {
  const length = statSync(file).size;
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  const from = first === '' ? Math.max(0, length - Number(last === '' ? length : last)) : Number(first);
  const end = first === '' || last === '' ? length - 1 : Math.min(length - 1, Number(last));
  response.writeHead(206, {
    'content-length': end - from + 1,
    'content-range': `bytes ${String(from)}-${String(end)}/${String(length)}`,
  });
  if (request.method === 'HEAD') response.end();
  else createReadStream(file, { start: from, end }).pipe(response);
}
