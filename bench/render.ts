/**
 * `npm run bench -- render`: what a page costs that needs a browser, in rounds without a network, beside Crawlee's
 * PlaywrightCrawler and a bare loop over Playwright, over the same web, with the same browser, one after the other. Each
 * opens the first page of each kind, and is measured over the others, whose scripts are known then. What each has found is
 * judged by what is known to be true. Exits 1 when a target is missed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { differs } from '../test/web/rendering/compare.ts';
import { startRenderingWeb, type RenderingPage } from '../test/web/rendering/server.ts';
import { list, oneOf, script, whole } from '../test/support/script.ts';
import { table } from './figures.ts';
import { installCrawlee } from './install.ts';
import { meter } from './meter.ts';
import type { Told } from './render/pass.ts';
import { browserProgram } from './render/program.ts';
import { scratch } from './scratch.ts';

/** Milliseconds of processor for a page, at most, and pages a second against each of the others, at least. */
const targets = { milliseconds: 250, times: 3 };

const names = ['loop', 'crawlee', 'orbweaver'] as const;
type Name = (typeof names)[number];
const programs: Readonly<Record<Name, string>> = {
  loop: 'render/loop.ts',
  crawlee: 'crawlee/browse.mjs',
  orbweaver: 'render/ours.ts',
};

const {
  only = names,
  pages: perKind,
  lanes,
} = script('bench -- render', 'What a page costs that needs a browser.')
  .option('--only <names>', `measured instead of all: ${names.join(', ')}`, list(oneOf(names)))
  .option('--pages <count>', 'of each kind; the first is not measured', whole(2), 4)
  .option('--lanes <count>', 'pages at a time', whole(), 4)
  .parse()
  .opts<{ only?: readonly Name[]; pages: number; lanes: number }>();

interface Measured {
  readonly pages: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly megabytes: number;
  readonly rounds: { readonly first: number; readonly later: number };
  /** Pages with text or links other than the true ones. */
  readonly wrong: readonly string[];
}

async function measured(name: Name, file: string, folder: string): Promise<Measured> {
  const child = spawn(
    process.execPath,
    [path.join(import.meta.dirname, programs[name]), file, folder, String(lanes), program],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = once(child, 'close');
  const watch = meter(child.pid ?? 0);
  const told: { readonly told: Told; readonly cpuSeconds: number }[] = [];
  for await (const line of createInterface(child.stdout))
    told.push({ told: JSON.parse(line) as Told, cpuSeconds: watch.read().cpuSeconds });
  const [code] = (await ended) as [number | null];
  watch.stop();
  const [before, after] = told;
  if (code !== 0 || before === undefined || after === undefined) throw new Error(`${name} failed`);
  return {
    pages: others.length,
    seconds: after.told.seconds,
    cpuSeconds: after.cpuSeconds - before.cpuSeconds,
    megabytes: watch.read().peakMegabytes,
    rounds: { first: before.told.rounds / first.length, later: after.told.rounds / others.length },
    wrong: others
      .filter((page) => !isTrue(page, path.join(folder, encodeURIComponent(page.url))))
      .map(({ kind }) => kind.name),
  };
}

const isTrue = (page: RenderingPage, file: string): boolean =>
  existsSync(file) && differs(page, readFileSync(file)) === null;

const program = browserProgram();
if (only.includes('crawlee')) installCrawlee();
const folder = scratch('bench');
const web = await startRenderingWeb(perKind);
// Without those that the archive cannot serve, and those whose window goes on.
const chosen = web.pages.filter(
  ({ kind, truth }) => kind.needs && kind.gap === undefined && truth.navigation === undefined,
);
const isFirst = ({ url }: RenderingPage): boolean => url.endsWith('/1');
const [first, others] = [chosen.filter(isFirst), chosen.filter((page) => !isFirst(page))];
const results = new Map<Name, Measured>();
try {
  const file = path.join(folder, 'pages.json');
  writeFileSync(
    file,
    JSON.stringify({ first: first.map(({ url }) => url), others: others.map(({ url }) => url) }),
  );
  for (const name of names.filter((each) => only.includes(each)))
    results.set(name, await measured(name, file, scratch(name, folder)));
} finally {
  await web.stop();
  rmSync(folder, { recursive: true, force: true });
}

const rate = ({ pages, seconds }: Measured): number => pages / seconds;
const cost = ({ cpuSeconds, pages }: Measured): number => (1_000 * cpuSeconds) / pages;
const rows = [...results].map(([name, one]) => [
  name,
  String(one.pages),
  rate(one).toFixed(2),
  cost(one).toFixed(0),
  one.rounds.later === 0 ? '' : (cost(one) / one.rounds.later).toFixed(0),
  one.rounds.later === 0 ? '' : `${one.rounds.first.toFixed(2)}, ${one.rounds.later.toFixed(2)}`,
  one.megabytes.toFixed(0),
  String(one.wrong.length),
]);
const head = ['', 'pages', 'pages/s', 'ms of CPU a page', 'a round', 'rounds: first, later', 'MB', 'untrue'];
process.stdout.write(`${table([head, ...rows])}\n`);
for (const [name, { wrong }] of results)
  if (wrong.length > 0) process.stdout.write(`untrue of ${name}: ${[...new Set(wrong)].join(', ')}\n`);

const aims: readonly (readonly [what: string, isMet: boolean])[] = aimsOf(results.get('orbweaver'));
for (const [what, isMet] of aims) process.stdout.write(`${what}: ${isMet ? 'met' : 'MISSED'}\n`);
process.exitCode = aims.every(([, isMet]) => isMet) ? 0 : 1;

function aimsOf(ours: Measured | undefined): [string, boolean][] {
  if (ours === undefined) return [];
  const most = targets.milliseconds;
  const others = (['loop', 'crawlee'] as const).flatMap((name): [string, boolean][] => {
    const other = results.get(name);
    if (other === undefined) return [];
    const times = rate(ours) / rate(other);
    return [
      [
        `${times.toFixed(2)} × the pages a second of ${name}, at least ${String(targets.times)}`,
        times >= targets.times,
      ],
    ];
  });
  return [
    [`${cost(ours).toFixed(0)} ms of CPU a page, at most ${String(most)}`, cost(ours) <= most],
    ...others,
  ];
}
