/** What was done with a URL so far: requests, answers and their outcomes. */
import { stageWords } from '../stage.ts';
import { counted, grouped } from '../counted.ts';
import { note, stop, wait, type Decision } from './decision.ts';
import type { ExplainFacts, RecordFacts } from './facts.ts';
import { cutBy, cutPhrasesOf } from '../limits.ts';
import { renderOutcomes } from '../rendering/outcome.ts';
import { renderReasons } from '../rendering/reason.ts';
import { reasonText } from '../url-reason.ts';

export function historyDecisions({ attempts, record, deadLetter }: ExplainFacts): Decision[] {
  const decisions: Decision[] = attempts.map(({ at, class: kind, status, message }) =>
    note('attempt', kind, `An attempt ended at ${at}: ${reasonText(kind, message)}.`, {
      at,
      status,
      message,
    }),
  );
  if (record !== null) {
    decisions.push(
      ...crashes(record),
      ...answer(record),
      ...redirect(record),
      ...rendering(record),
      ...duplicate(record),
      ...reading(record),
    );
  }
  if (deadLetter !== null) {
    const { class: kind, status, message, attempts: tries, createdAt: at } = deadLetter;
    decisions.push(
      stop(
        'dead-letter',
        kind,
        `It became a dead letter at ${at} after ${counted(tries, 'attempt', 'attempts')} without a final outcome: ${reasonText(kind, message)}.`,
        { at, status, message, attempts: tries },
      ),
    );
  }
  return decisions;
}

function crashes({ reclaims }: RecordFacts): Decision[] {
  if (reclaims === 0) return [];
  return [
    note(
      'attempt',
      'crash',
      `${counted(reclaims, 'slice that was fetching the URL', 'slices that were fetching the URL')} ended without a result, as after a crash.`,
      { reclaims },
    ),
  ];
}

function answer(record: RecordFacts): Decision[] {
  const {
    reason,
    detail: remark,
    fetchedAt,
    status,
    contentType,
    bytes,
    requests,
    truncated,
    contentHash,
  } = record;
  if (fetchedAt === null) return [];
  const type = contentType === null ? '' : `, ${contentType}`;
  const cut = truncated === null ? '' : `, cut short (${truncated})`;
  const times = requests > 1 ? `, ${String(requests)} requests in all` : '';
  return [
    note(
      'fetch',
      status === null ? 'answered' : String(status),
      reason === 'not-modified'
        ? `It was last answered at ${fetchedAt} with status 304: ${remark ?? 'the body of an earlier fetch'} has not changed${type}${times}.`
        : `It was last answered at ${fetchedAt} with status ${String(status ?? '?')}${type}, ${counted(bytes, 'byte', 'bytes')}${cut}${times}.`,
      { at: fetchedAt, status, contentType, bytes, truncated, requests, contentHash },
    ),
  ];
}

function redirect({ redirectTo: target, redirectState, redirects, reason, state }: RecordFacts): Decision[] {
  const decisions: Decision[] = [];
  if (target !== null) {
    const then =
      redirectState === null ? 'which is not part of this crawl' : `a URL of its own, now ${redirectState}`;
    decisions.push(
      note('redirect', 'to', `It redirects to ${target}, ${then}.`, { target, state: redirectState }),
    );
  }
  if (state === 'queued' && reason === 'redirect') {
    decisions.push(
      note(
        'redirect',
        'respelled',
        'The URL redirected to another spelling of itself, and that spelling is fetched instead.',
        { redirects },
      ),
    );
  }
  return decisions;
}

function duplicate({ duplicateOf, duplicateBy, revisitOf, page }: RecordFacts): Decision[] {
  const decisions: Decision[] = [];
  if (duplicateOf !== null) {
    const what = duplicateBy === 'text' ? 'text' : 'body';
    decisions.push(
      stop('duplicate', what, `Its ${what} is the same as that of ${duplicateOf}, which stands for both.`, {
        of: duplicateOf,
      }),
    );
  }
  if (revisitOf !== null) {
    const { crawlId, url, storedAt } = revisitOf;
    decisions.push(
      note(
        'duplicate',
        'revisit',
        `Crawl ${crawlId} had the same body before, at ${storedAt}, from ${url}; the body is stored once.`,
        { crawl: crawlId, of: url, storedAt },
      ),
    );
  }
  const near = page?.nearDuplicateOf ?? null;
  if (near !== null) {
    const share = `${String(Math.round(near.likeness * 100))} %`;
    decisions.push(
      note(
        'duplicate',
        'nearly',
        `Its text is nearly that of ${near.url}: about ${share} of the pairs of words in both are the same.`,
        { of: near.url, likeness: near.likeness, distance: near.distance },
      ),
    );
  }
  const named = page?.canonical ?? null;
  if (named !== null) {
    decisions.push(
      note('duplicate', 'rel-canonical', `The page names ${named} as its canonical URL.`, { of: named }),
    );
  }
  return decisions;
}

/** Files that did not come, and kinds of refused requests, that are named. */
const mostNamed = 3;

function rendering({ rendering: told, cut }: RecordFacts): Decision[] {
  if (told === null) {
    if (cut.emptyShells === undefined) return [];
    const because =
      'It says hardly anything without a browser, and none was asked to render it: the settings of the crawl rule that out, no browser was there, or pages like it have gained nothing.';
    return [note('render', 'not-rendered', because)];
  }
  const {
    reason,
    outcome,
    rounds,
    words,
    links,
    resources,
    navigation,
    console: lines,
    screenshot,
    pdf,
  } = told;
  const given = resources.filter((each) => each.outcome === 'given').length;
  const failed = resources.filter(
    (each) => each.outcome !== 'given' && (outcome !== null || each.outcome !== 'missing'),
  );
  const named = failed
    .slice(0, mostNamed)
    .map((each) => `${each.url}: ${each.outcome === 'missing' ? 'it had not come by then' : each.outcome}`);
  const more = failed.length - named.length;
  const files = [
    `${String(given)} of ${counted(resources.length, 'file', 'files')}`,
    ...named,
    ...(more > 0 ? [`and ${grouped(more)} more that did not come`] : []),
  ].join('; ');
  const why = Object.entries(renderReasons).find(([name]) => name === reason)?.[1];
  const because = why === undefined ? '' : `, since ${why}`;
  const before =
    words === null
      ? ''
      : ` As the server sent it, it has ${counted(words, 'word', 'words')} and ${counted(links ?? 0, 'link', 'links')}.`;
  const sentence =
    outcome === null
      ? `A browser renders it${because}: ${counted(rounds, 'round', 'rounds')} so far, with ${files}.`
      : `A browser was to render it${because}: ${renderOutcomes[outcome]}, after ${counted(rounds, 'round', 'rounds')} with ${files}.`;
  const refused = Object.entries(told.refused).sort(([, a], [, b]) => b - a);
  const kinds = refused.slice(0, mostNamed).map(([what, times]) => `${grouped(times)} × ${what}`);
  const others = refused.slice(mostNamed).reduce((sum, [, times]) => sum + times, 0);
  const besides = [
    ...(navigation === null ? [] : [` Its scripts wanted to go to ${navigation}, which is not followed.`]),
    ...(refused.length === 0
      ? []
      : [
          ` Not requested for it: ${[...kinds, ...(others > 0 ? [`${grouped(others)} others`] : [])].join(', ')}.`,
        ]),
    ...(lines[0] === undefined
      ? []
      : [
          ` Its console says: ${lines[0]}${lines.length > 1 ? ` (and ${counted(lines.length - 1, 'line')} more)` : ''}`,
        ]),
  ];
  const looks = Object.entries({ screenshot, PDF: pdf }).flatMap(([name, look]) =>
    look === null
      ? []
      : [` Its ${name} has ${counted(look.bytes, 'byte')}${look.isKept ? '' : ', too many to be kept'}.`],
  );
  const detail = {
    reason,
    rounds,
    given,
    asked: resources.length,
    words,
    links,
    navigation,
    refused: refused.reduce((sum, [, times]) => sum + times, 0),
  };
  return [
    note('render', outcome ?? 'under-way', sentence + before + [...looks, ...besides].join(''), detail),
  ];
}

function reading({ stillToDo, page, cut, kind }: RecordFacts): Decision[] {
  if (stillToDo !== null) {
    return [wait('extract', stillToDo, `Its body is stored and waits for ${stageWords[stillToDo]}.`)];
  }
  // What rendering has to say of a shell is said above.
  const leftOut = cutPhrasesOf(cutBy({ ...cut, emptyShells: 0 }));
  if (page === null) {
    const what = kind === 'sitemap' ? 'the sitemap' : 'it';
    return leftOut.length === 0
      ? []
      : [note('extract', 'left-out', `Left out of ${what}: ${leftOut.join(', ')}.`, { ...cut })];
  }
  const { words, links, noindex, nofollow, relevance } = page;
  const remarks = [
    ...(relevance === null
      ? []
      : [`its relevance to the crawl’s focus is ${String(Number(relevance.toPrecision(3)))}`]),
    ...(noindex ? ['the page asks not to be indexed'] : []),
    ...(nofollow ? ['the page asks that none of its links be followed'] : []),
    ...(leftOut.length > 0 ? [`left out: ${leftOut.join(', ')}`] : []),
  ];
  return [
    note(
      'extract',
      'read',
      `It was read: ${counted(words, 'word', 'words')}, ${counted(links, 'link', 'links')} to follow${remarks.map((remark) => `; ${remark}`).join('')}.`,
      { words, links, noindex, nofollow, relevance, leftOut: leftOut.join(', ') },
    ),
  ];
}
