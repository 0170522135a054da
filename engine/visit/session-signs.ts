/** What the answers of a host say of the sessions of its crawls (domain/session/login-signs.ts), over visits. */
import { judgeLogin, type SessionSign } from '../../domain/session/login-signs.ts';
import type { WaitingCrawl } from '../../storage/feeding/index.ts';

export class SessionSigns {
  readonly #signs: Map<number, SessionSign | null>;

  constructor(rows: readonly Pick<WaitingCrawl, 'crawl_id' | 'session_sign'>[]) {
    this.#signs = new Map(rows.map(({ crawl_id: id, session_sign: sign }) => [id, sign]));
  }

  /** For `noteTurns`. */
  of(crawlId: number): SessionSign | null {
    return this.#signs.get(crawlId) ?? null;
  }

  /** A request with the session was answered well. */
  holds(crawlId: number): void {
    this.#signs.set(crawlId, 'holds');
  }

  /** As `judgeLogin`, for an answer that asks for a login. */
  asksForLogin(crawlId: number, askedBefore: boolean): ReturnType<typeof judgeLogin> {
    const verdict = judgeLogin(this.of(crawlId), askedBefore);
    if (verdict === 'behind') this.#signs.set(crawlId, 'doubted');
    if (verdict === 'over') this.#signs.set(crawlId, null);
    return verdict;
  }
}
