/**
 * Whether a shard, or a door, is under load: how many hosts are worked or wait to be, for each place. Between the bounds the mode
 * stays what it was, so that it does not go to and fro with each host.
 */
import type { LoadMode } from './tiers.ts';

/** Under load from as many waiting hosts as there are places, until those that wait are a quarter of the places. */
const enterAt = 2;
const leaveAt = 1.25;

/** Hosts that wait need be counted no further than this: so many mean load, however many places there are. */
export const mostCounted = 500;

/** @param waiting hosts, counted no further than the lesser of `places` and `mostCounted` */
export const pressureOf = (worked: number, waiting: number, places: number): number =>
  worked / Math.max(1, places) + waiting / Math.max(1, Math.min(places, mostCounted));

export const loadMode = (before: LoadMode, pressure: number): LoadMode =>
  pressure >= enterAt ? 'loaded' : pressure <= leaveAt ? 'normal' : before;
