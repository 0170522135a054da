/** Names of people in what pages write beside `author`: labels, dates, roles and places are taken away. */
import { allMatches } from './all-matches.ts';
import { monthOf, weekdaysIn } from './calendar-words.ts';
import { foldLine } from './folded-text.ts';

const longestRaw = 300;
const longestName = 60;
const mostWords = 6;

/** What stands before a name. Short words count at the beginning alone, and before a capital. */
const label =
  /(?:^|[\s|•·,:;/–—-])(?:(?:(?:written|posted|published|submitted|reported|created|added|story|words|text|article|review|report|updated|reviewed|edited|analysis|opinion|photos?|medically reviewed|fact[- ]checked|von|view all posts|more(?: posts)?) +by|by|(?:geschrieben |verfasst |veröffentlicht |erstellt |ein beitrag |eingestellt |text )?von|(?:publié |écrit |rédigé |posté )?par|(?:publicado |escrito |redactado |postado )?por|(?:scritto |pubblicato |inserito )?da|a cura di|di|door|geplaatst door|skrevet av|skriven av|av|af|przez|napisał|napsal|írta|autor(?:a|in|en|es)?|auteurs?|autori?|autore|authors?|oleh|penulis|yazan|yazar|szerző|kirjoittanut|kirjoittaja|forfatter|tekst|texte?|testo|автор|текст|автори|συντάκτης|του|مؤلف|بقلم|كتب|כותב|מאת|نویسنده|लेखक|โดย|tác giả|bởi|reporter|journalist|redakteur(?:in)?|作者|著者|執筆者|投稿者|ライター|文|记者|記者|글쓴이|작성자)(?:\s*[:：]\s*|\s+)|(?:作者|著者|執筆者|投稿者|文|文／|记者|記者|글쓴이|작성자|기자)[:：/／\s]\s*)(?=\S)/giu;

/** Behind these, no name goes on. */
const stop =
  /\s*(?:[|•·●▪»›‹«…(\[<>/]|\s[–—-]+(?:\s|$)|\d|\n|\s(?:on|in|at|for|from|with|via|[Uu]pdated|[Pp]ublished|[Pp]osted|[Ll]ast|[Mm]odified|[Ff]ollow|[Vv]iew|[Ss]hare|[Rr]ead|is an?|is the|vom|mis à|publié|publicado|actualizado|pubblicato|aktualisiert|veröffentlicht|hat|ist)(?=\s|$|:)|\s(?:am|um|le|el|il|em|op|den)\s+\d)/u;

const roles =
  /\b(?:(?:senior|chief|staff|special|lead)\s+(?:\p{L}+\s+){0,3})?(?:(?:senior|staff|chief|deputy|associate|assistant|managing|executive|contributing|special|lead|freelance|sports?|political|business|technology|science|health|guest|news|features?|digital|national|foreign|legal)\s+)*(?:writers?|reporters?|editors?|correspondents?|contributors?|columnists?|journalists?|author|bloggers?|producers?|photographers?|director|professor|lecturer|analyst|ceo|founder|attorney|redakteur(?:in)?|redaktør|korrespondent(?:in)?|redactora?|periodista|rédactrice|rédacteur|journaliste|giornalista|redattore|jornalista|repórter)\b.*$/iu;

/** Words of a link to somebody, not of a name. */
const invitation =
  /^(?:view|see|read|more|all|follow|visit|contact|email|meet|show|über|voir|ver)\s(?!.*\b(?:by|von|par|por)\s)/iu;

/** Nobody's name. */
const nobody =
  /^(?:(?:site|web|super|the|wp)?[\s-]*(?:admin\w*|users?\d*|root|webmaster|webmestre|moderator|owner|master)|unknown|anonymous|anonym|guest|null|none|undefined|n\/?a|default|test|demo|author|autor|auteur|home|about|contact|login|menu|share|facebook|twitter|linkedin|instagram|google\+?|email|rss|website|profile|posts?|articles?|follow|comments?|name|more|read more|posted|published|written|updated|created|submitted|details|source|by|von|par|por|disclosure|archive|news|blog|press release|sponsored|advertisement|author'?s? (?:bio|name)|contribut\w+|all posts|see bio|bio)$|\b(?:team|staff|redaktion|redaction|redacci[oó]n|rédaction|redazione|redação|redactie|redakcja|redaksi|editorial|newsroom|desk|editors|editores|webmaster|administrator|admin|copyright|rights reserved|click|subscribe|newsletter|sign up|comments?|cookies?|privacy|http|www|min read|minutes?|reading time)\b|редакция|编辑部|編集部|관리자/iu;

const organisation =
  /\b(?:ediciones|editorial|editora|verlag|publishing|publications?|wire|inc|llc|llp|ltd|limited|gmbh|ag|kg|corp(?:oration)?|company|co|foundation|stiftung|universit(?:y|ät|é|à)|universidad|college|school|institut[eo]?|department|dept|ministry|ministerium|ministère|ministerio|association|verband|verein|agency|agentur|agence|agencia|agenzia|news|media|medien|press|presse|group|gruppe|council|committee|commission|office|bureau|network|magazine|magazin|journal|times|daily|post|gazette|herald|tribune|support|marketing|communications?|solutions|services?|systems?|technolog(?:y|ies)|software|labs?|studios?|digital|online|center|centre|zentrum|society|gesellschaft|club|church|bank|hospital|clinic|government|gouvernement|city of|state of|stadt|gemeinde|library|museum|board|federation|union|alliance|project|projekt|reuters|afp|dpa|apa|ansa|efe|associated press|bloomberg|xinhua|tass|\w+\.(?:com|org|net|de|io))\b/iu;
const acronym = /^\p{Lu}{2,6}$/u;

export const isOrganisation = (name: string): boolean => organisation.test(name) || acronym.test(name);

const and = /\s*[;&+]\s*|\s+(?:and|und|et|y|e|och|og|en|i|ve|и|und|with|mit|avec|con)\s+(?=\p{Lu})/u;
const degrees =
  /(?:,\s*|\s+)(?:ph\.?\s?d\.?|m\.?d\.?|m\.?sc?\.?|b\.?a\.?|m\.?b\.?a\.?|esq\.?|r\.?n\.?|d\.?d\.?s\.?|rdn?|llm|ll\.?m\.?|cfp|cpa|j\.?d\.?|d\.?o\.?|mph)(?=$|[\s,])\.?/gi;

/** Names in what data say that are names: meta elements, schema.org, links to authors. */
export function namesIn(raw: string): string[] {
  const line = cleaned(raw);
  if (line === null || invitation.test(line)) return [];
  const start = [...line.matchAll(label)].find(({ index }) => index === 0);
  return split(start === undefined ? line : line.slice(start[0].length));
}

/** The name of one person as libraries write it: `Doe, Jane`. */
export function citedNameIn(raw: string): string[] {
  const line = cleaned(raw);
  if (line === null) return [];
  const [family = '', given, ...others] = line.split(/\s*,\s*/);
  if (/;/.test(line) || given === undefined || others.length > 1) return split(line);
  return isOrganisation(line) ? [line] : one(`${given} ${family}`.trim());
}

/** Names in lines that people read: `12 March 2024 | By Jane Doe, Staff Writer`. */
export function namesInLines(raw: string): string[] {
  const lines = raw.split('\n').map((line) => line.trim());
  for (const [at, line] of lines.entries()) {
    const names = namesInLabelled(line, lines[at + 1]);
    if (names.length > 0) return names;
  }
  const found: string[] = [];
  for (const line of lines) {
    const names = namesInParts(line);
    // Those of people stand one below the other.
    if (names.length === 0 && found.length > 0) break;
    found.push(...names);
  }
  return found;
}

/** Names behind a label, such as `By`, which may have a line of its own. */
export function namesInLabelled(line: string, next = ''): string[] {
  const whole = cleaned(line);
  if (whole === null) return [];
  const { told, rest } = afterLabel(`${whole} `);
  if (!told) return [];
  return split(rest.trim() === '' ? (cleaned(next) ?? '') : rest);
}

function namesInParts(line: string): string[] {
  const whole = cleaned(line);
  if (whole === null) return [];
  for (const part of whole.split(/\s*[|•·●▪»/]\s*|\s+[–—-]+\s+/)) {
    const names = /\d/.test(part) ? [] : split(part).filter(looksLikePerson);
    if (names.length > 0) return names;
  }
  return [];
}

function afterLabel(line: string): { readonly told: boolean; readonly rest: string } {
  for (const found of allMatches(line, label)) {
    const rest = line.slice(found.index + found[0].length);
    if (
      rest.trim() === ''
        ? found.index === 0
        : /^["'“]?(?:\p{Lu}|\p{Lo})/u.test(rest) || isHandle(line, found.index)
    )
      return { told: true, rest };
  }
  return /^(?:by|von|par|por|di|da|door|av|af)\s*[:：]?\s*$/i.test(line)
    ? { told: true, rest: '' }
    : { told: false, rest: line };
}

/** `by` at the beginning of a line and a single word: a name that somebody gave to himself. */
const isHandle = (line: string, at: number): boolean =>
  at === 0 && /^by\s+[\p{L}\p{N}_.-]+\s*(?:[|•·»–—-]|$)/iu.test(line);

/** Words of a name begin with capitals, or are of a script without them. */
export const looksLikePerson = (name: string): boolean =>
  /^\p{Lo}[\p{Lo}\p{M}\s·]{1,15}$/u.test(name) ||
  (/\s/.test(name) &&
    name
      .split(/\s+/)
      .every((word) =>
        /^(?:['’]?\p{Lu}|(?:d[aeiou]s?|del|della|la|le|van|von|der|den|ten|ter|el|al|bin|ibn|y|zu|zur|und)$)/u.test(
          word,
        ),
      ));

function cleaned(raw: string): string | null {
  if (raw.length > longestRaw) return null;
  const plain = /[<&]/.test(raw) ? raw.replace(/<[^>]*>/g, ' ').replaceAll('&amp;', '&') : raw;
  const line = foldLine(plain, longestRaw)?.text ?? '';
  const text = /@|http/.test(line)
    ? line
        .replace(/\(?\S+@\S+\.\w+\)?|https?:\S+|\(?@\w+\)?/g, ' ')
        .replace(/\s+/g, ' ')
        .trim()
    : line;
  return /\p{L}{2}/u.test(text) ? text : null;
}

function split(line: string): string[] {
  const found: string[] = [];
  for (const piece of line.split(and)) {
    const plain = piece.replace(degrees, '');
    const parts = plain.split(/\s*[,、،，]\s*/);
    const [first = '', second = ''] = parts;
    // One word, a comma and one or two more are a family name and given names.
    if (
      parts.length === 2 &&
      !/\s/.test(first.trim()) &&
      /^\p{Lu}[\p{L}.'’-]*(?:\s\p{Lu}[\p{L}.]*)?$/u.test(second) &&
      !isOrganisation(second) &&
      !roles.test(second)
    ) {
      found.push(...one(`${second} ${first}`));
      continue;
    }
    for (const [at, part] of parts.entries()) {
      const names = at > 0 && roles.test(part) ? [] : one(part);
      // Behind the first, a part without a space is a place or a role.
      if (at === 0 || names.some((name) => looksLikePerson(name) && !isOrganisation(name)))
        found.push(...names);
      else if (found.length > 0) break;
    }
  }
  return [...new Map(found.map((name) => [name.toLowerCase(), name])).values()];
}

/** The name in a part of a line, or none. */
function one(part: string): string[] {
  const at = part.search(stop);
  let name = (at < 0 ? part : part.slice(0, at)).replace(roles, '').trim();
  // `Jane Doe March 5`, cut before the day.
  if (at >= 0 || /\s.*\s/.test(name))
    name = name.replace(/\s+(\p{L}+)\.?,?$/u, (whole, word: string) =>
      (at >= 0 && monthOf(word) > 0) || (word.length > 4 && weekdaysIn(word) > 0) ? '' : whole,
    );
  name = name
    .replace(/^[\s"“”'‘’.:,*_#-]+|[\s"“”‘’:,*_#-]+$/g, '')
    .replace(/(?<=\p{Ll}{2})\.$/u, '')
    .replace(/\s+기자$|\s*(?:记者|記者)$/u, '');
  const words = name.split(/\s+/);
  if (name.length < 2 || name.length > longestName || words.length > mostWords || !/\p{L}{2}/u.test(name))
    return [];
  if (nobody.test(name) || monthOf(name) > 0) return [];
  return [isShouted(name) && words.length > 1 ? words.map(named).join(' ') : name];
}

const isShouted = (name: string): boolean => name === name.toUpperCase() && name !== name.toLowerCase();
const named = (word: string): string =>
  word.length < 2 || /\./.test(word)
    ? word
    : word.toLowerCase().replace(/(?<![\p{L}\p{M}])\p{Ll}/gu, (letter) => letter.toUpperCase());
