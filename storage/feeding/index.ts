/** Which host is worked next: turns of tenants and crawls, the door, idle hosts. */
export type { FedHost } from './feed.sql.ts';
export {
  waitingCrawls,
  noteTurns,
  markReached,
  holdTurns,
  type WaitingCrawl,
  type NotedTurn,
} from './crawl-turns.sql.ts';
export { markKnown, markSpent, noteUnanswered, type HostAtDoor, type Unanswered } from './door.sql.ts';
export { correctTurns, countUnbegun, shardActivity } from './feed.sql.ts';
export { claimDueShards, countShards, listSplits, moveHosts, restShard, splitShard } from './shards.sql.ts';
export { markIdle, claimIdleHosts, refeedHosts, lostVisits, unfeedHosts, retireHost } from './rest.sql.ts';
export { letOthersAsk } from './others.sql.ts';
export { earliestTurn } from './waiting-hosts.ts';
export { workAhead } from './work-ahead.sql.ts';
export { takeTurns, takeTurnsAtDoor, type DoorRegions } from './turns.ts';
