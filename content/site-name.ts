/** Tells names of the site from those of its pages and people. */

/** Letters and digits alone, without accents and case: what two spellings of a name share. */
export const bare = (text: string): string =>
  // Most names are of ASCII, whose letters are found in a fifth of the time.
  /[^\0-\x7f]/.test(text)
    ? text
        .normalize('NFKD')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, '')
    : text.toLowerCase().replace(/[^a-z0-9]+/g, '');

/** Labels of host names that name no site. */
const common = new Set(['www', 'com', 'org', 'net', 'gov', 'edu', 'blog', 'news', 'web', 'info']);
/** Shorter labels are the beginning of too many words. */
const leastLabel = 4;

export type IsSite = (name: string) => boolean;

/** @param told names that the page gives to its site or publisher */
export function siteTeller(told: readonly string[], { hostname }: URL): IsSite {
  const names = new Set(told.map(bare).filter((name) => name !== ''));
  const labels = hostname
    .split('.')
    .slice(0, -1)
    .map(bare)
    .filter((label) => label.length >= leastLabel && !common.has(label));
  return (name) => {
    const plain = name.replace(/^(?:the|der|die|das|le|la|el|il)\s+|\.(?:com|org|net|de|co\.uk)$/gi, '');
    const own = bare(plain);
    if (own === '') return false;
    const isOurs = (each: string): boolean => names.has(each) || labels.includes(each);
    return isOurs(own) || (plain !== name && isOurs(bare(name)));
  };
}

const separator = /\s+(?:[|–—·•»«:~/-]|::)\s+|\s*[|»｜]\s*|\s+[-–—]+\s*$/u;

/** What a title has at its end behind a line or a dash. */
export function endOfTitle(title: string): string[] {
  const [, end] = /\s[|–—·•»-]\s+([^|–—·•»]{2,50})$/u.exec(title) ?? [];
  return end === undefined || end.split(/\s+/).length > 5 ? [] : [end.trim()];
}

/** A title without the site's name at its end or beginning. */
export function withoutSite(title: string, isSite: IsSite): string {
  const parts = title.split(separator).filter((part) => part !== '');
  while (parts.length > 1 && isSite(parts.at(-1) ?? '')) parts.pop();
  if (parts.length > 1 && isSite(parts[0] ?? '')) parts.shift();
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  const from = title.indexOf(first);
  const to = title.lastIndexOf(last) + last.length;
  return from < 0 || to <= from ? title : title.slice(from, to).trim();
}
