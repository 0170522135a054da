/**
 * What the answers of a host say of the session of a crawl: nothing yet (null), it holds, or it is in doubt, since one
 * page has asked for a login after others were answered well.
 *
 * One page that asks for a login may be closed to whoever has the session: it goes behind the others, and where those are
 * answered well it is what it is. Two in a row, or the first that is asked of the host, show that the session has ended.
 * Kept for each crawl by itself: what others are answered at the host says nothing of this session.
 */
export type SessionSign = 'holds' | 'doubted';

/**
 * What an answer means that asks for a login. over: the session has ended; behind: the page is tried again after the
 * others; page: it is an answer like any other.
 * @param askedBefore the last request for this URL was answered so too
 */
export function judgeLogin(sign: SessionSign | null, askedBefore: boolean): 'over' | 'behind' | 'page' {
  if (sign !== 'holds') return 'over';
  return askedBefore ? 'page' : 'behind';
}
