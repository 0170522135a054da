/**
 * The parts of a URL that never change what is served: click and campaign tags, and session ids.
 * Any change to these tables changes dedup keys: raise `canonicalRulesVersion` (url.ts) with it.
 */

/** Campaign tags and click ids, lower-case. Only names that no known site uses to choose a page. */
// prettier-ignore
const trackingNames: ReadonlySet<string> = new Set([
  // Google
  'gclid', 'gclsrc', 'dclid', 'gbraid', 'wbraid', 'gad_source', 'gad_campaignid', 'srsltid',
  '_ga', '_gl', 'ga_source', 'ga_medium', 'ga_term', 'ga_content', 'ga_campaign',
  // Meta, Microsoft, Yandex, Twitter, TikTok, LinkedIn, Pinterest, Instagram
  'fbclid', 'fb_action_ids', 'fb_action_types', 'fb_source', 'fb_ref',
  'msclkid', 'yclid', 'ysclid', '_openstat', 'twclid', '__twitter_impression', 'ttclid',
  'li_fat_id', 'epik', 'igshid', 'igsh',
  // mail and marketing suites: Mailchimp, Marketo, HubSpot, Matomo, Adobe, Vero, Omeda, Drip, Branch
  'mc_cid', 'mc_eid', 'mkt_tok', '_hsenc', '_hsmi', '__hssc', '__hstc', '__hsfp', 'hsctatracking',
  'mtm_campaign', 'mtm_source', 'mtm_medium', 'mtm_keyword', 'mtm_content', 'mtm_cid', 'mtm_group',
  'pk_campaign', 'pk_source', 'pk_medium', 'pk_keyword', 'pk_kwd', 'pk_content', 'pk_cid',
  's_kwcid', 'ef_id', 'vero_id', 'vero_conv', 'oly_enc_id', 'oly_anon_id', '__s', '_branch_match_id',
  // affiliate networks and analytics
  'irclickid', 'zanpid', 'wickedid', 'rb_clickid', 'xtor', 'wt_mc', 'guccounter', 'guce_referrer',
  'guce_referrer_sig',
]);

/** Names that only session machinery uses, lower-case. */
const sessionNames: ReadonlySet<string> = new Set(['phpsessid', 'jsessionid', 'oscsid', 'zenid', 'cftoken']);

/** Names of a session id, or of a story, a shop or a conference session: the value decides which. */
const ambiguousSessionNames: ReadonlySet<string> = new Set(['sid', 'sessid', 'sessionid', 'session_id']);

/** A machine-made token: letters and digits mixed, too long for a word or number that people give to things. */
const sessionToken = /^(?=[^0-9]*[0-9])(?=[^a-z]*[a-z])[0-9a-z]{16,128}$/i;

/**
 * Why a query parameter is left out of the canonical URL; null: it is kept. `name` and `value` are in percent-encoding
 * normal form; `value` is '' if there is none.
 */
export function droppedAs(name: string, value: string): 'tracking' | 'session' | null {
  const lower = name.toLowerCase();
  if (lower.startsWith('utm_') || trackingNames.has(lower)) return 'tracking';
  return sessionNames.has(lower) ||
    lower.startsWith('aspsessionid') ||
    (ambiguousSessionNames.has(lower) && sessionToken.test(value))
    ? 'session'
    : null;
}

/** Cheap test before `dropPathSessions`: a path without these characters holds no session id. */
export const pathSessionHint = /[;(]/;

const pathParameter = /;([^;/=]*)=([^;/]*)/g;
/** ASP.NET cookieless tickets: a segment such as (S(token)) or (A(token)F(token)). */
const aspNetTicket = /\/\((?:[AFSX]\([^()/]*\)){1,4}\)(?=\/)/g;

/**
 * Removes `;jsessionid=…` and similar parameters from each segment, and ASP.NET ticket segments. Parameters go first:
 * a segment may be a ticket only without them.
 */
export function dropPathSessions(path: string): string {
  const plain = path.includes(';') ? path.split('/').map(dropSegmentSession).join('/') : path;
  return plain.includes('(') ? plain.replace(aspNetTicket, '') : plain;
}

/** A segment that would become `.` or `..` is left alone: it would turn into a step up the path. */
function dropSegmentSession(segment: string): string {
  const kept = segment.replace(pathParameter, (parameter, name: string, value: string) =>
    isSessionPathParameter(name.toLowerCase(), value) ? '' : parameter,
  );
  return kept === '.' || kept === '..' ? segment : kept;
}

function isSessionPathParameter(lowerName: string, value: string): boolean {
  return sessionNames.has(lowerName) || (ambiguousSessionNames.has(lowerName) && sessionToken.test(value));
}
