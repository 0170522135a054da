/** The console: its page, and signing in to it. What it shows and does is the other routes. */
import { signedIn, signInAsked, signInLink, type SignedIn } from '../../contracts/http/console.ts';
import { defaultTenant } from '../../contracts/tenancy.ts';
import { bearerOfLink, signIn, signInSeconds, signOut, takeLink } from '../../storage/tenancy/index.ts';
import type { Parts } from '../dependencies.ts';
import { reader } from '../way-in/access.ts';
import type { Caller } from '../way-in/caller.ts';
import { csrfTokenOf, sessionCookie, sessionSecret } from '../way-in/console-session.ts';
import { judged, tokenOf } from '../way-in/gate.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { fails, json, made } from './answers.ts';
import { answered, page, route } from './route.ts';

const notSignedIn = (detail: string): never => {
  throw new HttpProblem(401, detail, { kind: 'unauthenticated' });
};

async function callerOf({ keyring }: Parts, bearer: string): Promise<Caller> {
  const caller = await judged(keyring, bearer);
  return 'refused' in caller ? notSignedIn('The key or token is not valid, or no longer valid.') : caller;
}

const view = ({ settings }: Parts, caller: Caller, secret: string): SignedIn => ({
  actor: caller.id,
  tenantId: String(caller.tenantId),
  instance: caller.tenantId === defaultTenant,
  role: caller.role,
  scopes: caller.scopes === null ? null : [...caller.scopes],
  csrfToken: csrfTokenOf(secret),
  version: settings.version,
  // The desk of operators, who see every tenant there.
  temporalWeb: caller.tenantId === defaultTenant ? (settings.temporalWeb ?? null) : null,
});

async function end({ pool, consoleSessions }: Parts, secret: string): Promise<void> {
  await signOut(pool, secret);
  consoleSessions.forget(secret);
}

const goneLink = 'The link was used already, or is too old: `./orbweaver console` prints a new one.';

export const consoleRoutes = [
  // app.ts mounts these.
  page('/console', 'public', null),
  page('/console/*', 'public', null),
  route({
    method: 'POST',
    path: '/v1/sign-in-links',
    access: reader('crawls'),
    id: 'createSignInLink',
    summary: 'Make a link that opens the console once, signed in as the caller, within ten minutes',
    answers: { 201: json('The link.', signInLink) },
    handler:
      ({ pool, keys }) =>
      async ({ request, response, caller }) => {
        const code = await signIn(pool, keys, 'link', tokenOf(request) ?? '', caller.id);
        response.set('Cache-Control', 'no-store');
        // The fragment is not sent to any server, and so is in no log.
        const url = `${request.protocol}://${request.headers.host ?? ''}/console/#code=${code}`;
        return { url, expiresAt: new Date(Date.now() + signInSeconds.link * 1_000).toISOString() };
      },
  }),
  route({
    method: 'POST',
    path: '/v1/console-session',
    access: 'public',
    id: 'signIn',
    summary: 'Sign in to the console by a key, or by the code of a link; the answer sets a cookie',
    body: signInAsked,
    answers: { 201: made('Signed in.', signedIn), 401: fails('The key or code is not valid.') },
    handler: (parts) => {
      const { pool, keys, log } = parts;
      return async ({ body: { key, code }, request, response }) => {
        const bearer = key ?? (await bearerOfLink(pool, keys, code ?? '')) ?? notSignedIn(goneLink);
        const caller = await callerOf(parts, bearer);
        const secret = await signIn(pool, keys, 'session', bearer, caller.id);
        // Last of all, so that a link is not lost to what could not be done. Of two who have it, one has the session.
        if (key === undefined && !(await takeLink(pool, code ?? ''))) {
          await end(parts, secret);
          notSignedIn(goneLink);
        }
        const old = sessionSecret(request);
        if (old !== null) await end(parts, old);
        const [name, options] = sessionCookie(request);
        response.cookie(name, secret, options);
        response.location('/v1/console-session').set('Cache-Control', 'no-store');
        log.info({ by: caller.id }, 'signed in to the console');
        return view(parts, caller, secret);
      };
    },
  }),
  route({
    method: 'GET',
    path: '/v1/console-session',
    access: 'public',
    id: 'getConsoleSession',
    summary: 'As whom the browser is signed in to the console',
    answers: { 200: json('The session.', signedIn), 401: fails('Not signed in, or no longer.') },
    handler:
      (parts) =>
      async ({ request, response }) => {
        const [secret, bearer] = [sessionSecret(request), tokenOf(request)];
        response.set('Cache-Control', 'no-store');
        if (secret === null || typeof bearer !== 'string') return notSignedIn('You are not signed in.');
        return view(parts, await callerOf(parts, bearer), secret);
      },
  }),
  route({
    method: 'DELETE',
    path: '/v1/console-session',
    access: 'public',
    id: 'signOut',
    summary: 'Sign out of the console: the session ends, in every process within five seconds',
    answers: { 204: { response: { description: 'Signed out.' } } },
    handler:
      (parts) =>
      async ({ request, response }) => {
        const secret = sessionSecret(request);
        if (secret !== null) await end(parts, secret);
        const [name, options] = sessionCookie(request);
        response
          .cookie(name, '', { ...options, maxAge: 0 })
          .status(204)
          .end();
        return answered;
      },
  }),
];
