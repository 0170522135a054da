/** `shards list` and `shards split`: the shards of hosts and their schedulers. */
import { shardList, splitBegun } from '../../contracts/http/shards.ts';
import { counted } from '../../domain/counted.ts';
import { wholeNumber } from '../arguments.ts';
import { asks } from '../verb.ts';

const places = ['places high', 'medium', 'low', 'authority', 'explored'];

export const verbs = [
  asks({
    words: 'shards list',
    summary: 'List the shards, with the places that their schedulers have given.',
    takes: { '--json': 'as JSON, one object a line' },
    route: 'GET /v1/shards',
    perPage: null,
    answer: shardList.shape.items.element,
    print: {
      heads: ['shard', 'at work', 'at most', 'load', ...places, 'split'],
      row: ({ shard, splitInto, scheduler }) => {
        const split =
          splitInto === null
            ? ''
            : `${counted(splitInto.hosts, 'host', 'hosts')} to ${String(splitInto.shard)}`;
        if (scheduler === null) {
          const silent = 'no answer: nothing to do yet, or no worker';
          return [String(shard), '', '', silent, ...places.map(() => ''), split];
        }
        const { activeHosts, cap, mode, given } = scheduler;
        const taken = [...given.byTier, given.authority, given.explored];
        return [String(shard), String(activeHosts), String(cap), mode, ...taken.map(String), split];
      },
      none: 'There is no shard.',
    },
  }),
  asks({
    words: 'shards split',
    summary:
      'Split a shard while crawls go on: about half of its hosts are given to a new shard with a scheduler of its own. This cannot be undone.',
    takes: {
      '<shard>': { about: 'number of the shard, as shards list shows it', read: wholeNumber(0) },
      '--json': 'as JSON',
    },
    examples: ['0'],
    route: 'POST /v1/shards/{shard}/split',
    answer: splitBegun,
    print: ({ into }, { shard }) => [
      `Shard ${String(shard)} is being split: about half of its hosts are given to shard ${String(into)}, some thousands a second. orbweaver shards list shows how far it is.`,
    ],
  }),
];
