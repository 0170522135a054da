/** Which header fields of a response are kept as evidence of a failure: few, short, and none that may be a secret. */

export const maxEvidenceFields = 20;
/** Bytes of names and values together, in UTF-8. */
export const maxEvidenceBytes = 2_048;
const maxValueCharacters = 256;

/** Fields that tell most about a refusal or a failure, kept first. Other fields follow by name while there is room. */
const telling: readonly string[] = [
  'retry-after',
  'www-authenticate',
  'location',
  'server',
  'date',
  'via',
  'content-type',
  'content-length',
  'content-encoding',
  'x-robots-tag',
  'cf-mitigated',
  'cf-ray',
  'x-cache',
  'x-request-id',
  'age',
];

/** Matches anywhere in a field name: credentials, sessions and the like, of any product. */
const secret =
  /cookie|authori[sz]ation|authentication-info|auth-?info|token|secret|session|passw|credential|csrf|xsrf|api-?key|signature/;
/** Fields that are long and the same in every answer of a site. */
const noise =
  /^(content-security-policy|permissions-policy|feature-policy|report-to|reporting-endpoints|nel|link)/;

/** Name of an added field: its value says how many fields were left out for lack of room. */
export const leftOutField = '…';

/** @param headers lower-case names, as `FetchResponse` has them */
export function headerEvidence(headers: Readonly<Record<string, string>>): Record<string, string> {
  const rest = Object.keys(headers)
    .filter((name) => !telling.includes(name))
    .sort();
  const fields = [...telling, ...rest].flatMap((name): Field[] => {
    const value = shortened(headers[name]);
    return value === undefined || secret.test(name) || noise.test(name) ? [] : [[name, value]];
  });
  const all = fitting(fields, maxEvidenceFields, maxEvidenceBytes);
  // fromEntries, since a field may be called `__proto__`.
  if (all.length === fields.length) return Object.fromEntries(all);
  // Room for the field that counts what was left out.
  const kept = fitting(fields, maxEvidenceFields - 1, maxEvidenceBytes - utf8Length(leftOutField) - 20);
  const leftOut = `${String(fields.length - kept.length)} left out`;
  return Object.fromEntries([...kept, [leftOutField, leftOut]]);
}

/** The header fields without those that may be a secret. */
export const withoutSecrets = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !secret.test(name)));

type Field = [name: string, value: string];

/** The first fields that there is room for. A field that is too long for the rest of the room is passed over. */
function fitting(fields: readonly Field[], most: number, mostBytes: number): Field[] {
  const kept: Field[] = [];
  let bytes = 0;
  for (const [name, value] of fields) {
    const size = utf8Length(name) + utf8Length(value);
    if (kept.length === most || bytes + size > mostBytes) continue;
    bytes += size;
    kept.push([name, value]);
  }
  return kept;
}

/** A value that is cut ends in `…`. toWellFormed, since half a surrogate pair cannot be stored. */
function shortened(value: string | undefined): string | undefined {
  if (value === undefined || value.length <= maxValueCharacters) return value?.toWellFormed();
  return `${value.slice(0, maxValueCharacters - 1).toWellFormed()}…`;
}

/** Upper bound of the length in UTF-8: each half of a surrogate pair counts as a whole character. */
function utf8Length(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
  }
  return bytes;
}
