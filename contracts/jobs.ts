/**
 * Jobs: work beside the crawling, done in stints of some seconds. A job is a workflow of the type `job`. Its kind is an
 * entry here, which says where its stints are made and what the desk calls it, and one value in engine/ that makes them
 * (`Job` in engine/jobs/job.ts); workers/roles.ts gives each its tools. Postgres holds how far a job is.
 */
import { defineQuery } from '@temporalio/workflow';
import type { DeadLetterClass, RedriveCounts } from '../domain/dead-letter.ts';
import { taskQueues, type TaskQueue } from './workflows.ts';

interface KindOfJob {
  /** What such a job is called on the desk, before its id. */
  readonly title: string;
  /** Where its stints are made. */
  readonly queue: TaskQueue;
  /** Where its workflow runs. */
  readonly workflows: TaskQueue;
  /** The pause before a stint that failed is made again: the first time, and the longest. */
  readonly firstPause: '1 second' | '5 minutes';
  readonly longestPause: '10 seconds' | '1 minute' | '10 minutes';
  /**
   * "Request Cancellation" in Temporal Web cancels what the job makes. Otherwise it ends this workflow alone, and the
   * patrol starts another one for what is left.
   */
  readonly cancels: boolean;
}

const usual = {
  workflows: taskQueues.crawl,
  firstPause: '1 second',
  longestPause: '10 seconds',
  cancels: false,
} as const;
const lengthy = { ...usual, longestPause: '1 minute' } as const;

/** Each by the name that its ids begin with. */
export const jobKinds = {
  /** Backs up the data folder; a schedule starts one after another. It has few tries, which are to outlast an outage. */
  backup: {
    ...usual,
    firstPause: '5 minutes',
    longestPause: '10 minutes',
    title: 'Backup of the',
    queue: taskQueues.backup,
  },
  /** Judges the frontier of a crawl by changed settings. */
  edit: { ...usual, title: 'Settings of crawl', queue: taskQueues.crawl },
  /** Makes the file of an export. */
  export: { ...lengthy, title: 'Export', queue: taskQueues.export, cancels: true },
  /** One run over the pages of a standing crawl; the schedule of the crawl starts one after another. */
  recrawl: { ...usual, title: 'Fresh pages of crawl', queue: taskQueues.crawl },
  /** Queues dead letters of a crawl again. */
  redrive: { ...usual, title: 'Dead letters of crawl', queue: taskQueues.crawl },
  /** Reads stored bodies of a crawl again. */
  reextraction: { ...lengthy, title: 'Re-extraction', queue: taskQueues.reextract, cancels: true },
  /** Puts the pages of a crawl into the index for searches. */
  search: { ...lengthy, title: 'Search in crawl', queue: taskQueues.search },
  /** Sends events of crawls to the receiver of a webhook. There may be thousands. */
  webhook: { ...usual, title: 'Webhook', queue: taskQueues.webhook, workflows: taskQueues.control },
} as const satisfies Readonly<Record<string, KindOfJob>>;

export type JobKind = keyof typeof jobKinds;

/** Of a recrawl and of backups also the id of the schedule; Temporal adds the time to the ids of the workflows. */
export const jobWorkflowId = (kind: JobKind, id: string): string => `${kind}/${id}`;

/** Which job: of an export, a re-extraction or a webhook its own id, otherwise the crawl's. */
export interface JobRef {
  readonly kind: JobKind;
  readonly id: string;
}

export interface JobInput extends JobRef {
  /** Of a redrive: which dead letters. */
  readonly ask?: RedriveAsk;
  /** What the last stint of the run before has left for the next one. */
  readonly place?: RedrivePlace | null;
}

/** What one stint answers. Histories hold it, so it is small. */
export interface Stint {
  /** How far the job is, for programs: the answer of the query `state`, and the result of the workflow. */
  readonly view: unknown;
  /** The same for people, in Markdown. */
  readonly words: string;
  /** Nothing is left to do: the workflow ends after `waitMs`, unless somebody wakes it until then. */
  readonly over: boolean;
  /** Milliseconds until it is worth while to go on; 0: there is more now. */
  readonly waitMs: number;
  /** What the next stint must know and Postgres does not hold. */
  readonly place?: RedrivePlace;
}

export interface JobActivities {
  /** Works at a job for some seconds. */
  work(call: JobInput): Promise<Stint>;
  cancelJob(job: JobRef): Promise<void>;
}

export const jobStateQuery = defineQuery<unknown>('state');

/** A null field stands for any. */
export interface RedriveAsk {
  readonly origin: string | null;
  readonly class: DeadLetterClass | null;
  readonly url: string | null;
  /**
   * The caller may have a parked host tried again, which concerns all crawls: the host is tried again if only `origin`
   * is given.
   */
  readonly mayUnpark: boolean;
}

export interface RedriveView extends RedriveCounts {
  /** The host had been parked and is tried again. */
  readonly unparked: boolean;
}

export interface RedrivePlace {
  /** The letter after which the next stint goes on; null: all are through, and the host is to be tried again. */
  readonly after: string | null;
  readonly view: RedriveView;
}
