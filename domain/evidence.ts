/** Which fields of a response are kept as evidence of a failure: few, short, and none that could be a secret. */

export const maxEvidenceFields = 20;
/** Bytes of names and values together, in UTF-8. */
export const maxEvidenceBytes = 2_048;
const maxValueCharacters = 256;

/** What tells most about a refusal or a failure comes first; the rest follows by name as far as there is room. */
const telling: readonly string[] = [
  ...[
    'retry-after',
    'www-authenticate',
    'location',
    'server',
    'date',
    'via',
    'content-type',
    'content-length',
  ],
  ...['content-encoding', 'x-robots-tag', 'cf-mitigated', 'cf-ray', 'x-cache', 'x-request-id', 'age'],
];

/** Of a name, anywhere: credentials, sessions and the like, of whatever make. */
const secret =
  /cookie|authori[sz]ation|authentication-info|auth-?info|token|secret|session|passw|credential|csrf|xsrf|api-?key|signature/;
/** Long, and the same for every answer of a site. */
const noise =
  /^(content-security-policy|permissions-policy|feature-policy|report-to|reporting-endpoints|nel|link)/;

/** Names of a field whose value says how many had no room. */
export const leftOutField = '…';

/** @param headers lower-case names, as `FetchResponse` has them */
export function headerEvidence(headers: Readonly<Record<string, string>>): Record<string, string> {
  const rest = Object.keys(headers)
    .filter((name) => !telling.includes(name))
    .sort();
  const kept: [string, string][] = [];
  // Room for what is said of those that have none.
  let bytes = utf8Length(leftOutField) + 20;
  let leftOut = 0;
  for (const name of [...telling, ...rest]) {
    const value = shortened(headers[name]);
    if (value === undefined || secret.test(name) || noise.test(name)) continue;
    const size = utf8Length(name) + utf8Length(value);
    if (kept.length === maxEvidenceFields - 1 || bytes + size > maxEvidenceBytes) {
      leftOut++;
      continue;
    }
    bytes += size;
    kept.push([name, value]);
  }
  if (leftOut > 0) kept.push([leftOutField, `${String(leftOut)} left out`]);
  // By entries: a field may well be called `__proto__`.
  return Object.fromEntries(kept);
}

/** One that is cut says so; a character that is cut in half could not be stored. */
function shortened(value: string | undefined): string | undefined {
  if (value === undefined || value.length <= maxValueCharacters) return value?.toWellFormed();
  return `${value.slice(0, maxValueCharacters - 1).toWellFormed()}…`;
}

/** At most: half of a surrogate pair counts for a whole character. */
function utf8Length(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
  }
  return bytes;
}
