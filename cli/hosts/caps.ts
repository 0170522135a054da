/** `cap set`, `clear` and `list`: how much all hosts of a domain, or at an address, are sent together. */
import { capList, capView } from '../../contracts/http/caps.ts';
import { counted } from '../../domain/counted.ts';
import { capRate, wholeNumber } from '../arguments.ts';
import { CommandError } from '../ending.ts';
import { moment } from '../output/table.ts';
import { asks } from '../verb.ts';

export const verbs = [
  asks({
    words: 'cap set',
    summary:
      'Set the cap of a domain or an IP address. It takes effect within two seconds, and goes before the process settings.',
    takes: {
      '<name>': 'a registered domain, or an IP address (IPv6: its /64)',
      '--rate <n>': { about: 'requests per second: a whole number, or a fraction below 1', read: capRate },
      '--in-flight <n>': { about: 'requests in flight (default: as many as the rate)', read: wholeNumber(1) },
      '--off': 'no cap',
    },
    examples: ['example.com --rate 5 --in-flight 2', '192.0.2.7 --rate 200', '192.0.2.7 --off'],
    route: 'POST /v1/caps',
    body: ({ name, rate, inFlight, off }) => {
      if (off === (rate !== undefined)) throw new CommandError('give either --rate or --off');
      return { name, rate: rate ?? null, inFlight };
    },
    answer: capView,
    print: ({ name, rate, inFlight }) => {
      if (rate === null) return [`${name} has no cap.`];
      const flying = inFlight === null ? '' : `, ${String(inFlight)} in flight`;
      return [
        `All hosts of ${name} together are sent at most ${counted(rate, 'request', 'requests')} per second${flying}.`,
      ];
    },
  }),
  asks({
    words: 'cap clear',
    summary: 'Take back the cap of a domain or an IP address; the process settings hold again.',
    takes: { '<name>': 'the domain or address' },
    examples: ['example.com'],
    route: 'DELETE /v1/caps/{name}',
    answer: capView,
    print: ({ name }) => [`The cap of ${name} is taken back: the settings of the processes hold again.`],
  }),
  asks({
    words: 'cap list',
    summary: 'Show the domains and addresses for which a cap was set.',
    takes: { '--json': 'as JSON, one object a line' },
    route: 'GET /v1/caps',
    answer: capList.shape.items.element,
    print: {
      heads: ['since', 'address or domain', 'requests per second', 'in flight'],
      row: ({ changedAt, name, rate, inFlight }) => [
        moment(changedAt),
        name,
        rate === null ? 'no cap' : String(rate),
        inFlight === null ? '' : String(inFlight),
      ],
      none: 'No cap was set for any address or domain.',
    },
  }),
];
