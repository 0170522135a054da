/**
 * Backpressure: how much slower the stages before a full one should work. From four fifths of a stage's capacity on they
 * slow down in a straight line, and at its capacity they stand still. There are no two thresholds: what comes in falls
 * as a queue grows, so a queue settles where as much comes in as the stage takes away.
 */

import { grouped } from './counted.ts';

export interface StageLoad {
  readonly stage: StageName;
  readonly used: number;
  readonly capacity: number;
}

interface StageWords {
  /** What is measured. */
  readonly means: string;
  /** What is too slow if the stage is full. */
  readonly behind: string;
  /** What is measured, as the subject of a sentence about so much of it. */
  readonly waits: string;
  readonly unit: 'pages' | 'bytes' | 'rows' | 'ms';
}

/** Every stage, in the order of the lists that people see. */
const stages = {
  unread: {
    means: 'fetched pages that wait to be read, of all crawls',
    behind: 'reading is behind',
    waits: 'fetched pages wait to be read',
    unit: 'pages',
  },
  unread_bytes: {
    means: 'bytes of fetched pages that wait to be read, of all crawls',
    behind: 'reading is behind',
    waits: 'of fetched pages wait to be read',
    unit: 'bytes',
  },
  rows: {
    means: 'rows of a worker that wait for their commit',
    behind: 'commits are behind',
    waits: 'rows of a worker wait for their commit',
    unit: 'rows',
  },
  commit: {
    means: 'milliseconds that a commit of a worker takes',
    behind: 'the database is slow',
    waits: 'is what a commit takes',
    unit: 'ms',
  },
  store: {
    means: 'bytes of bodies of a worker that wait for the disk',
    behind: 'the disk is behind',
    waits: 'of bodies wait for the disk',
    unit: 'bytes',
  },
  upload: {
    means: 'bytes of closed segments in a folder that wait for their upload to S3',
    behind: 'uploads to S3 are behind',
    waits: 'of segments wait for their upload',
    unit: 'bytes',
  },
} as const satisfies Readonly<Record<string, StageWords>>;

export type StageName = keyof typeof stages;
export const stageNames = Object.keys(stages) as readonly StageName[];

/** The share of its capacity from which on a stage slows down those before it. */
const easyShare = 0.8;

/** The share of its usual pace that is left to what comes before a stage: from 1 down to 0. */
export function paceLeft({ used, capacity }: Pick<StageLoad, 'used' | 'capacity'>): number {
  const share = used / capacity;
  return Math.max(0, Math.min(1, (1 - share) / (1 - easyShare)));
}

/** That of the fullest stage. */
export const leastPace = (loads: readonly StageLoad[]): number =>
  loads.reduce((least, load) => Math.min(least, paceLeft(load)), 1);

const amount = (value: number, unit: StageWords['unit']): string =>
  unit === 'bytes'
    ? `${(value / 1024 ** 2).toFixed(1)} MiB`
    : unit === 'ms'
      ? `${grouped(Math.round(value))} ms`
      : grouped(value);

/** Why fetching is slowed down now, in one sentence; null: it is not. */
export function slowedBecause(loads: readonly StageLoad[]): string | null {
  const [fullest] = loads.toSorted((a, b) => paceLeft(a) - paceLeft(b));
  if (fullest === undefined || paceLeft(fullest) === 1) return null;
  const { behind, waits, unit } = stages[fullest.stage];
  const percent = Math.floor(paceLeft(fullest) * 100);
  const slowed =
    percent === 0 ? 'Fetching stands still' : `Fetching is slowed to ${String(percent)} % of its pace`;
  return `${slowed} because ${behind}: ${amount(fullest.used, unit)} ${waits}, of ${amount(fullest.capacity, unit)} at most.`;
}

/** Each stage with the pace that it leaves, for people and programs. */
export const stagesOf = (loads: readonly StageLoad[]): (StageLoad & { pace: number; means: string })[] =>
  stageNames.flatMap((stage) =>
    loads
      .filter((load) => load.stage === stage)
      .map((load) => ({ ...load, pace: paceLeft(load), means: stages[stage].means })),
  );

/** How full each stage is, in a few words: "unread 12 %, commit 3 %". */
export const stagesInWords = (
  loads: readonly { readonly stage: string; readonly used: number; readonly capacity: number }[],
): string =>
  loads
    .map(
      ({ stage, used, capacity }) =>
        `${stage.replaceAll('_', ' ')} ${String(Math.round((used / capacity) * 100))} %`,
    )
    .join(', ');

/**
 * Milliseconds between two pieces of work so that only the share `pace` of them is done; Infinity: none is.
 * @param everyMs milliseconds from one to the next at the usual pace
 */
export const slowedMs = (everyMs: number, pace: number): number => (pace <= 0 ? Infinity : everyMs / pace);

/** What was measured so many milliseconds ago says less and less: half as much every two seconds. */
export const fading = (value: number, agoMs: number): number => value * 0.5 ** (agoMs / 2_000);
