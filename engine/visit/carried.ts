/**
 * What one request carries in the name of its crawl, and what its answer says of the session of the crawl. A host that
 * has logged the crawl out parks for this crawl alone: its URLs stay queued, and everybody else goes on.
 */
import type { FetchResponse } from '../../contracts/fetching.ts';
import { withoutSecrets } from '../../domain/evidence.ts';
import { cookieField } from '../../domain/cookies.ts';
import type { RequestHeaders } from '../../domain/request-headers.ts';
import { joinedHeaders, withFields } from '../../domain/session/session.ts';
import { hasSession } from '../../domain/session-links.ts';
import { storedKinds } from '../../domain/url-kind.ts';
import { hasSeedAt } from '../../storage/seeds/index.ts';
import { KeyMissing, NoKey, logOut, openHeaders } from '../../storage/sessions/index.ts';
import { retrying } from '../../storage/postgres/index.ts';
import type { JarPlace } from '../sessions/kept-cookies.ts';
import type { Attached } from '../sessions/session-book.ts';
import type { FetchContext } from './fetch-context.ts';
import type { Wanted } from './gates.ts';
import type { HostVisit } from './host-visit.ts';
import type { LoggedOut } from './record.ts';
import { asksItself, signedOut } from './signed-out.ts';

export class Carried {
  readonly #context: FetchContext;
  readonly #visit: HostVisit;
  readonly #wanted: Wanted;
  readonly #attached: Attached | null;
  readonly #isSignedIn: boolean;
  /** The request headers of the crawl, with what of its session belongs to the URL, and cookies that the host has set. */
  readonly headers: RequestHeaders;
  #ended: string | null = null;

  private constructor(
    context: FetchContext,
    visit: HostVisit,
    wanted: Wanted,
    own: RequestHeaders,
    attached: Attached | null,
    kept: string | null,
  ) {
    this.#context = context;
    this.#visit = visit;
    this.#wanted = wanted;
    this.#attached = attached;
    this.#isSignedIn = attached !== null || hasSession(own);
    this.headers = withFields(attached === null ? own : joinedHeaders(own, attached.headers), kept);
  }

  /** Null: the session cannot be opened here, so the URL is not asked for, and the crawl has no turn at the host. */
  static async by(context: FetchContext, visit: HostVisit, wanted: Wanted): Promise<Carried | null> {
    const { crawl, url } = wanted;
    const { pool, keys, sessions } = context.dependencies;
    const { hostId } = visit.lease;
    // Only at the origins of its seeds: they may be secrets, which others must not see.
    const { headers: given, keepCookies } = crawl.config;
    const mayShow = Object.keys(given).length > 0 && (await hasSeedAt(pool, hostId, crawl.id)).length > 0;
    try {
      const own = mayShow ? openHeaders(keys, crawl.tenantId, given) : {};
      const attached = await retrying(() => sessions.attachedTo(crawl, hostId, url));
      // What the answer sets must be kept: without a key nothing is asked for.
      if (keepCookies) keys.check();
      const kept = keepCookies ? await context.kept.at(jarOf(visit, wanted)) : [];
      return new Carried(context, visit, wanted, own, attached, cookieField(kept, new URL(url.url)));
    } catch (error) {
      if (!(error instanceof KeyMissing || error instanceof NoKey)) throw error;
      await logOutOf(context, visit, wanted, `not sent, since ${error.message}`);
      return null;
    }
  }

  /** Does the answer ask for a login, though the request carried the session? Null: it does not. @param target of a redirect */
  judge(response: FetchResponse, target: string | null): LoggedOut | null {
    const { crawl, url } = this.#wanted;
    // Sites ask for a login at paths that are made up, whoever asks.
    if (!this.#isSignedIn || url.kind === storedKinds.probe) return null;
    const { signs } = this.#visit;
    const texts = this.#attached?.loggedOutTexts ?? [];
    const found = signedOut(url.url, response, target, texts);
    if (found === null) {
      if (response.status < 400 && !asksItself(url.url)) signs.holds(crawl.id);
      return null;
    }
    const { evidence, isCertain } = found;
    const how = isCertain ? 'over' : signs.asksForLogin(crawl.id, url.reason === 'session-ended');
    if (how === 'page') return null;
    if (how === 'over') this.#ended = evidence;
    return { evidence, how };
  }

  /** The request could not leave: the crawl has no turn at the host until somebody has seen to it. */
  async withheld(why: string): Promise<void> {
    await logOutOf(this.#context, this.#visit, this.#wanted, `not sent, since ${why}`);
  }

  /**
   * Notes what `judge` has found, and keeps the cookies that the answer sets, before the result of the URL is stored: the
   * next request is not one too many, and has them.
   */
  async settle(response: FetchResponse | null): Promise<void> {
    const { crawl, url } = this.#wanted;
    if (crawl.config.keepCookies && response !== null)
      await this.#context.kept.take(
        jarOf(this.#visit, this.#wanted),
        new URL(url.url),
        response.headers['set-cookie'],
      );
    if (this.#ended !== null) await logOutOf(this.#context, this.#visit, this.#wanted, this.#ended);
  }

  /** The answer as it is archived: what it tells of a session is left out. */
  archived(response: FetchResponse): FetchResponse {
    const isSecret = this.#isSignedIn || this.#wanted.crawl.config.keepCookies;
    return isSecret ? { ...response, headers: withoutSecrets(response.headers) } : response;
  }
}

const jarOf = ({ lease, origin }: HostVisit, { crawl }: Wanted): JarPlace => ({
  crawlId: crawl.id,
  origin,
  token: lease.taken.token,
});

async function logOutOf(
  { dependencies: { pool, log } }: FetchContext,
  { lease, turns, origin }: HostVisit,
  { crawl }: Wanted,
  why: string,
): Promise<void> {
  turns.logOut(crawl.id);
  if (await retrying(() => logOut(pool, lease.hostId, crawl, why)))
    log.info({ crawlId: crawl.id, host: origin, why }, 'the site has logged the crawl out');
}
