/**
 * Every reason for which a URL, a host or a crawl waits, each told once: under its name as a cause of time that goes by
 * (time-lost.ts; storage/times says until when), what `explain` says of it, and what the desk shows. A new reason is one
 * entry, at its place by weight: of those that hold, the summary of `explain` names the first.
 */
import { behindOthers } from './behind-others.ts';
import type { Blame } from './reason.ts';
import { untilATime } from './until-a-time.ts';
import { untilSomebodyActs } from './until-somebody-acts.ts';

export const reasons = { ...untilSomebodyActs, ...untilATime, ...behindOthers };

type Reasons = typeof reasons;
type With<Field> = { [Name in keyof Reasons]: Reasons[Name] extends Field ? Name : never }[keyof Reasons];

/** A reason under which time is counted: a column of `host_time`. */
export type TimeCause = With<{ blame: Blame }>;

/** Why a host is left alone although it is well and its pace would allow a visit. */
export type ClosedBy = With<{ desk: string }>;
