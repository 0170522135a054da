/** What was done with a URL so far: requests, answers and their outcomes. */
import { counted } from '../counted.ts';
import { type Decision } from './decision.ts';
import type { ExplainFacts, RecordFacts } from './facts.ts';
import { cutPhrasesOf } from '../limits.ts';
import { reasonText } from '../url-reason.ts';

export function historyDecisions({ attempts, record, deadLetter }: ExplainFacts): Decision[] {
  const decisions: Decision[] = attempts.map(({ at, class: kind, status, message }) => ({
    step: 'attempt',
    verdict: kind,
    effect: 'note',
    because: `An attempt ended at ${at}: ${reasonText(kind, message)}.`,
    detail: { at, status, message },
  }));
  if (record !== null) {
    decisions.push(
      ...crashes(record),
      ...answer(record),
      ...redirect(record),
      ...duplicate(record),
      ...reading(record),
    );
  }
  if (deadLetter !== null) {
    const { class: kind, status, message, attempts: tries, createdAt: at } = deadLetter;
    decisions.push({
      step: 'dead-letter',
      verdict: kind,
      effect: 'stop',
      because: `It became a dead letter at ${at} after ${counted(tries, 'attempt', 'attempts')} without a final outcome: ${reasonText(kind, message)}.`,
      detail: { at, status, message, attempts: tries },
    });
  }
  return decisions;
}

function crashes({ reclaims }: RecordFacts): Decision[] {
  if (reclaims === 0) return [];
  return [
    {
      step: 'attempt',
      verdict: 'crash',
      effect: 'note',
      because: `${counted(reclaims, 'slice that was fetching the URL', 'slices that were fetching the URL')} ended without a result, as after a crash.`,
      detail: { reclaims },
    },
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
    {
      step: 'fetch',
      verdict: status === null ? 'answered' : String(status),
      effect: 'note',
      because:
        reason === 'not-modified'
          ? `It was last answered at ${fetchedAt} with status 304: ${remark ?? 'the body of an earlier fetch'} has not changed${type}${times}.`
          : `It was last answered at ${fetchedAt} with status ${String(status ?? '?')}${type}, ${counted(bytes, 'byte', 'bytes')}${cut}${times}.`,
      detail: { at: fetchedAt, status, contentType, bytes, truncated, requests, contentHash },
    },
  ];
}

function redirect({ redirectTo: target, redirectState, redirects, reason, state }: RecordFacts): Decision[] {
  const decisions: Decision[] = [];
  if (target !== null) {
    const then =
      redirectState === null ? 'which is not part of this crawl' : `a URL of its own, now ${redirectState}`;
    decisions.push({
      step: 'redirect',
      verdict: 'to',
      effect: 'note',
      because: `It redirects to ${target}, ${then}.`,
      detail: { target, state: redirectState },
    });
  }
  if (state === 'queued' && reason === 'redirect') {
    decisions.push({
      step: 'redirect',
      verdict: 'respelled',
      effect: 'note',
      because: 'The URL redirected to another spelling of itself, and that spelling is fetched instead.',
      detail: { redirects },
    });
  }
  return decisions;
}

function duplicate({ duplicateOf, duplicateBy, revisitOf, page }: RecordFacts): Decision[] {
  const decisions: Decision[] = [];
  if (duplicateOf !== null) {
    const what = duplicateBy === 'text' ? 'text' : 'body';
    decisions.push({
      step: 'duplicate',
      verdict: what,
      effect: 'stop',
      because: `Its ${what} is the same as that of ${duplicateOf}, which stands for both.`,
      detail: { of: duplicateOf },
    });
  }
  if (revisitOf !== null) {
    const { crawlId, url, storedAt } = revisitOf;
    decisions.push({
      step: 'duplicate',
      verdict: 'revisit',
      effect: 'note',
      because: `Crawl ${crawlId} had the same body before, at ${storedAt}, from ${url}; the body is stored once.`,
      detail: { crawl: crawlId, of: url, storedAt },
    });
  }
  const near = page?.nearDuplicateOf ?? null;
  if (near !== null) {
    const share = `${String(Math.round(near.likeness * 100))} %`;
    decisions.push({
      step: 'duplicate',
      verdict: 'nearly',
      effect: 'note',
      because: `Its text is nearly that of ${near.url}: about ${share} of the pairs of words in both are the same.`,
      detail: { of: near.url, likeness: near.likeness, distance: near.distance },
    });
  }
  const named = page?.canonical ?? null;
  if (named !== null) {
    decisions.push({
      step: 'duplicate',
      verdict: 'rel-canonical',
      effect: 'note',
      because: `The page names ${named} as its canonical URL.`,
      detail: { of: named },
    });
  }
  return decisions;
}

function reading({ stillToDo, page, cut, kind }: RecordFacts): Decision[] {
  if (stillToDo !== null) {
    const what = stillToDo === 'dedup' ? 'the duplicate check' : 'extraction';
    return [
      {
        step: 'extract',
        verdict: stillToDo,
        effect: 'wait',
        because: `Its body is stored and waits for ${what}.`,
        detail: {},
      },
    ];
  }
  const leftOut = cutPhrasesOf(cut);
  if (page === null) {
    const what = kind === 'sitemap' ? 'the sitemap' : 'it';
    return leftOut.length === 0
      ? []
      : [
          {
            step: 'extract',
            verdict: 'left-out',
            effect: 'note',
            because: `Left out of ${what}: ${leftOut.join(', ')}.`,
            detail: { ...cut },
          },
        ];
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
    {
      step: 'extract',
      verdict: 'read',
      effect: 'note',
      because: `It was read: ${counted(words, 'word', 'words')}, ${counted(links, 'link', 'links')} to follow${remarks.map((remark) => `; ${remark}`).join('')}.`,
      detail: { words, links, noindex, nofollow, relevance, leftOut: leftOut.join(', ') },
    },
  ];
}
