/** httpbin as a table of states: an answer of each kind, and what becomes of its URL (RFC 9110 §15, docs/visit.md). */
import { httpbinPython } from '../../programs/web-programs.ts';
import { makeFolder, serve } from './served.ts';

const launch = (port: number): string =>
  `from httpbin import app; app.run(host='127.0.0.1', port=${String(port)}, threaded=True)`;

export const states = {
  isHere: () => httpbinPython() !== null,
  start: () =>
    serve(
      makeFolder(),
      (port) => ({ command: httpbinPython() ?? '', args: ['-c', launch(port)] }),
      '/status/200',
    ),
  /** Path, then state and status of its URL. One that robots.txt forbids is no page. */
  expected: [
    ['/html', 'done 200'],
    ['/encoding/utf8', 'done 200'],
    ['/gzip', 'done 200'],
    ['/deflate', 'done 200'],
    ['/brotli', 'done 200'],
    ['/links/3/0', 'done 200'],
    ['/stream/3', 'done 200'],
    ['/drip?duration=1&numbytes=5', 'done 200'],
    ['/xml', 'done 200'],
    ['/deny', 'no page'],
    ['/basic-auth/ann/secret', 'failed 401'],
    ['/status/204', 'done 204'],
    ['/status/403', 'failed 403'],
    ['/status/404', 'dead 404'],
    ['/status/410', 'dead 410'],
    ['/status/451', 'dead 451'],
    ['/redirect-to?url=/html', 'done 302'],
  ] as readonly (readonly [string, string])[],
};
