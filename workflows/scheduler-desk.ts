/** What the scheduler shows in Temporal Web of how it shares places (Markdown, the current details of the workflow). */
import type { SchedulerCarried } from '../contracts/workflows.ts';
import { counted } from '../domain/counted.ts';
import { exploreEvery, sharesOfPlaces, tierNames, tiers } from '../domain/front-queue/tiers.ts';

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;

/** How places were shared, as Markdown. */
export function sharesTold({ front, given, decisions }: SchedulerCarried): string {
  const all = given.byTier[0] + given.byTier[1] + given.byTier[2];
  const due = sharesOfPlaces(front.mode);
  const of = (places: number): string => percent(places / Math.max(1, all));
  const rows = tiers.map(
    (tier) =>
      `| ${tierNames[tier]} | ${String(given.byTier[tier])} | ${of(given.byTier[tier])} | ${percent(due[tier])} |`,
  );
  const last = decisions.map(
    ({ at, mode, byTier, authority, explored, askedBack }) =>
      `| ${new Date(at).toISOString()} | ${mode} | ${byTier.join(' / ')} | ${String(authority)} | ${String(explored)} | ${String(askedBack)} |`,
  );
  return [
    front.mode === 'loaded' ? 'Many hosts wait: places go first to the high tier.' : 'The load is normal.',
    `One place of ${String(exploreEvery)} explores: it goes to the lowest tier that waits.`,
    '',
    '| tier | places given | share | share while all tiers wait |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
    `${counted(given.authority, 'place', 'places')} went to hosts of authority; ${counted(given.explored, 'place', 'places')} explored.`,
    ...(last.length === 0
      ? []
      : [
          '',
          '| last | load | high / medium / low | authority | explored | asked back |',
          '| --- | --- | --- | --- | --- | --- |',
          ...last,
        ]),
  ].join('\n');
}
