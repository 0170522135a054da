/**
 * What a number of a text stands for, told from what it stands beside. Copies of one page differ in numbers that only say
 * when it was read or how often; pages of one template differ in numbers that name what they are about.
 */

type Figure =
  /** A date, a time, an age, or a count of readers, comments and the like: other at each reading of the same page. */
  | 'passing'
  /** A size, a part number, a chapter: another number, another thing. */
  | 'naming'
  | 'plain';

const words = (text: string): string => text.trim().replaceAll(/\s+/g, '|');

/** Languages whose months are known, as ICU writes them within dates and alone. */
const written =
  'ar az be bg bn ca cs cy da de el en es et eu fa fi fr ga gl he hi hr hu hy id is it ka kk lt lv mk ms nb nl nn pl pt ro ru sk sl sq sr sv ta te th tr uk ur uz vi';
const furtherMonths = 'sept mrt febr mei juni juli';

function namesOfMonths(): string {
  const names = new Set(furtherMonths.split(' '));
  for (const language of written.split(' '))
    for (const month of ['long', 'short'] as const)
      for (const within of [{ day: 'numeric' }, {}] as const) {
        const format = new Intl.DateTimeFormat(language, {
          month,
          ...within,
          timeZone: 'UTC',
          calendar: 'gregory',
        });
        for (let at = 0; at < 12; at++)
          for (const { type, value } of format.formatToParts(Date.UTC(2001, at, 15)))
            if (type === 'month' && !/\d/.test(value)) names.add(value.toLowerCase().replace(/\.$/, ''));
      }
  const longestFirst = [...names].toSorted((one, other) => other.length - one.length);
  return `(?:${longestFirst.join('|').replaceAll('.', '\\.')})\\.?`;
}
/** Beginnings of what is counted at a page by its readers. */
const counted = `(?:${words(`
  view read hit visit click comment repl response share like vote upvote reaction follower subscriber download tweet retweet
  favo bookmark rating review guest clap query queries pageview aufruf zugriff klick kommentar antwort geteilt teil bewertung
  besucher leser gelesen stimme gefällt vue lecture commentaire réponse partage avis visite abonné téléchargement vista visita
  visualiza visualizz lectura leid comentari respuesta compartid voto opinion reseña descarga seguidor acesso leitura resposta partilha
  compartilha curtida gosto avalia lettur comment rispost condivision recension weergave bekeken reactie antwoord gedeeld stem
  beoordeling visning svar delning delinger gilla gånger wyświetl odsłon komentarz odpowied udostępn polubi głos opini zobrazen
  komentář přečten просмотр комментари ответ лайк репост прочит прочтен голос отзыв подел перегляд коментар відгук görüntülenme
  okunma yorum paylaş beğen dilihat dibaca komentar tayangan lượt bình megtekint hozzászól kommentti katselu afișări προβολ
  σχόλι κοινοποι مشاهد تعليق مشارك زيار קראו צפיות תגובות שיתופים टिप्पणि`)})\\p{L}*`;
/** Of scripts that write no spaces. */
const countedAlone =
  '回?閲覧|件のコメント|コメント|いいね|ビュー|シェア|[次条條個个]?(?:阅读|閱讀|浏览|瀏覽|点击|點擊|评论|評論|回复|回覆|分享|转发|点赞|收藏)|人气|조회|댓글|추천|공유|좋아요';

const unit =
  '(?:mm|cm|dm|m|km|inch(?:es)?|ft|yd|[mck]?m[²³]|kg|g|mg|µg|lbs?|oz|l|cl|ml|dl|gal|[kmgt]b|[kmgt]bit|[kmg]?hz|k?wh?|m?ah|k?v|hp|ps|nm|bar|psi|rpm|dpi|mp|px|мм|см|м|км|кг|г|мл|л)(?![\\p{L}\\p{N}’\'])|[°″"′]';
/** What is numbered through. */
const numbered = `(?:${words(`
  chapter part page lesson section no nr num number vol volume issue episode season level grade room unit lot item model version
  ver size step question exercise art sku ref isbn id line case kapitel teil seite lektion band heft folge staffel größe typ modell
  zimmer linie aktenzeichen chapitre partie leçon tome numéro taille modèle ligne capítulo parte página lección tomo número talla
  modelo línea capitolo pagina lezione numero taglia modello linea hoofdstuk deel maat lijn rozdział część strona numer глава
  часть страница урок номер том модель размер дело`)})`;

/** A number with all that is written to it: 12:30, 2031-05-17, 1.234, AB-12. */
const asDate =
  /(?<![\d.])(?:\d{4}([-/.]\s?)\d{1,2}\1\d{1,2}|\d{1,2}([-/.]\s?)\d{1,2}\2(?:\d{4}|\d\d))(?:t[\d:.]+(?:z|[+-][\d:]+)?)?(?!\d)/gu;
const asTime = /^\d{1,2}(?::\d\d){1,2}(?:\.\d+)?$|^\d{1,2}h(?:\d\d)?$|^\d{1,2}(?:[:.]\d\d)?[ap]m$/u;
const asCount = /^[\d.,]+[km]?\+?$/u;
const asCode = /[\p{L}][-/_.]?\d|\d[-/_.]?[\p{L}]|\d[x×]\d/u;
const asOrdinal = /^\d+(?:st|nd|rd|th|er|ère|e|ème|o|a|ª|º|\.)$/u;
/** 2024年, 5월, 3시. */
const asPart = /^\d+(?:[년월일시분초])$/u;

/** Made when the first number is looked at: naming all months takes ICU a tenth of a second. */
let besideMonth: { readonly before: RegExp; readonly after: RegExp } | undefined;
function isBesideMonth(before: string, after: string): boolean {
  if (besideMonth === undefined) {
    const month = namesOfMonths();
    besideMonth = {
      before: new RegExp(`^(?:st|nd|rd|th|er|º|ª|\\.)?,?\\s*(?:de |of |d['’])?${month}(?!\\p{L})`, 'u'),
      after: new RegExp(
        `(?<!\\p{L})${month},?\\s*(?:de |del )?(?:\\d{1,2}(?:st|nd|rd|th)?[,.]?\\s*(?:de )?)?$`,
        'u',
      ),
    };
  }
  return besideMonth.before.test(after) || besideMonth.after.test(before);
}
const beforeClock =
  /^\s*(?:uhr|klo|a\.?\s?m\b|p\.?m\b|o['’]clock|gmt|utc|[年月日号日時时点分秒]|[년월일시분초])/u;
const beforeAge =
  /^\s*(?:\p{L}+\.?\s+(?:ago|fa|geleden|siden|sedan|temu|назад|тому|önce|sitten|atrás|πριν|lalu|trước|yang)(?!\p{L})|(?:秒|分|時間|小时|小時|日|天|周|週間?|か月|ヶ月|个月|年)[钟鐘]?\s*[前以]|(?:초|분|시간|일|주|개월|년)\s*전)/u;
const afterAge = /(?:^|[^\p{L}])(?:vor|il y a|hace|há|for|před|pred|acum|πριν|منذ|לפני)\s+$/u;
const beforeCounted = new RegExp(
  `^[km]?\\+?[\\s]*(?:${counted}|${countedAlone}|mal |times |keer |kali |veces |vezes )`,
  'u',
);
const afterCounted = new RegExp(`(?:(?<!\\p{L})${counted}|${countedAlone})(?:数|數)?\\s*[:(（:]?\\s*$`, 'u');
const afterRight = /(?:©|\(c\)|copyright)\s*(?:\d{4}\s*[-–]\s*)?$/u;
const beforeRating = /^\s*(?:\/\s?5(?!\d)|[★☆⭐]|\(\d[\d.,]*\s?\p{L})/u;
const inAddress = /(?:https?:\/\/|www\.)\S*$/u;
const beforeUnit = new RegExp(`^\\s*(?:${unit})|^\\s*[x×]\\s*\\d`, 'u');
const afterName = new RegExp(
  `(?:^|[^\\p{L}])${numbered}\\.?\\s*[:#]?\\s*$|[#№§]\\s*$|n[°º]\\s*$|第\\s*$`,
  'u',
);

/** Characters of a text that are looked at on either side of a number. */
const around = 40;

/** @param from where the word with the number begins @param to where it ends */
export function figureAt(text: string, from: number, to: number): Figure {
  let [first, last] = [from, to];
  while (first > from - around && joins(text, first - 1)) first--;
  while (last < to + around && joins(text, last)) last++;
  while (last > to && !isWordUnit(text.charCodeAt(last - 1))) last--;
  while (first < from && !isWordUnit(text.charCodeAt(first))) first++;
  const figure = text.slice(first, last).toLowerCase();
  const before = text
    .slice(Math.max(0, first - around), first)
    .toLowerCase()
    .replace(/^[^]*\n/, '');
  const after = text
    .slice(last, last + around)
    .toLowerCase()
    .replace(/\n[^]*$/, '');
  if (afterName.test(before)) return 'naming';
  const at = before.length + from - first;
  if (asTime.test(figure) || asPart.test(figure) || isWithin(asDate, before + figure + after, at))
    return 'passing';
  if (inAddress.test(before)) return 'passing';
  if (beforeAge.test(after) || afterAge.test(before) || beforeClock.test(after)) return 'passing';
  if (isBesideMonth(before, after) || afterRight.test(before)) return 'passing';
  if (
    asCount.test(figure) &&
    (beforeCounted.test(after) || beforeRating.test(after) || afterCounted.test(before))
  )
    return 'passing';
  if (beforeUnit.test(after) || (asCode.test(figure) && !asOrdinal.test(figure) && !asCount.test(figure)))
    return 'naming';
  return 'plain';
}

function isWithin(pattern: RegExp, text: string, at: number): boolean {
  for (const { index, 0: found } of text.matchAll(pattern))
    if (index <= at && at < index + found.length) return true;
  return false;
}

const isWordUnit = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code > 0xbf;

/** Does this belong to the number beside it? Words and what joins them, no white space. */
function joins(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code >= 0x2e80) return false;
  return (
    isWordUnit(code) || code === 45 || code === 46 || code === 44 || code === 47 || code === 58 || code === 95
  );
}
