/**
 * The fields of an answer that say what may be done with it, as one text that is stored with its URL: the lines of
 * X-Robots-Tag as they came, then those of TDMRep by their names. A reader of X-Robots-Tag passes over these, since they
 * look like lines for another agent.
 */

/** TDMRep, section 6.1. */
const named = ['tdm-reservation', 'tdm-policy'] as const;
const longestField = 300;

/** @param headers by lower-case names; several fields of one name are lines. Null: the answer has none of them. */
export function rightsFields(headers: Readonly<Record<string, string | undefined>>): string | null {
  const robots = headers['x-robots-tag'];
  const lines = named.flatMap((name) => {
    const value = headers[name]?.split('\n', 1)[0]?.trim().slice(0, longestField);
    return value === undefined || value === '' ? [] : [`${name}: ${value}`];
  });
  return robots === undefined && lines.length === 0
    ? null
    : [...(robots === undefined ? [] : [robots]), ...lines].join('\n');
}

/** The value of a named field; null: there is none. */
export function keptField(kept: string | null, name: (typeof named)[number]): string | null {
  const line = kept?.split('\n').find((each) => each.startsWith(`${name}: `));
  return line === undefined ? null : line.slice(name.length + 2);
}
