/** `cap set`, `clear` and `list`: how much all hosts of a domain, or at an address, are sent together. */
import { capList as caps, capView, type CapView } from '../../contracts/http/caps.ts';
import { counted } from '../../domain/counted.ts';
import { withApi, type ApiOptions } from '../api/target.ts';
import type { VerbOptions } from '../steer/crawls.ts';
import { CommandError, exitCodes, type ExitCode } from '../ending.ts';
import { moment, writeList, type Shown } from '../output/table.ts';

export interface CapOptions extends ApiOptions {
  readonly rate?: number;
  readonly inFlight?: number;
  readonly off?: boolean;
}

export async function capSet(
  name: string,
  { rate, inFlight, off = false, ...options }: CapOptions,
): Promise<ExitCode> {
  if (off === (rate !== undefined)) throw new CommandError('give either --rate or --off');
  const body = { name, rate: rate ?? null, ...(inFlight !== undefined && { inFlight }) };
  const set = await withApi(options, (api) => api.change('POST', '/v1/caps', capView, { body }));
  process.stdout.write(`${sentence(set)}\n`);
  return exitCodes.ok;
}

export async function capClear(name: string, options: ApiOptions): Promise<ExitCode> {
  const was = await withApi(options, (api) =>
    api.change('DELETE', `/v1/caps/${encodeURIComponent(name)}`, capView),
  );
  process.stdout.write(`The cap of ${was.name} is taken back: the settings of the processes hold again.\n`);
  return exitCodes.ok;
}

const shown: Shown<CapView> = {
  heads: ['since', 'address or domain', 'requests per second', 'in flight'],
  row: ({ changedAt, name, rate, inFlight }) => [
    moment(changedAt),
    name,
    rate === null ? 'no cap' : String(rate),
    inFlight === null ? '' : String(inFlight),
  ],
  none: 'No cap was set for any address or domain.',
};

const pageLimit = 1_000;

export async function capList(options: VerbOptions): Promise<ExitCode> {
  await withApi(options, (api) =>
    writeList(
      api.list('/v1/caps', caps.shape.items.element, { limit: pageLimit }),
      options.json === true,
      shown,
    ),
  );
  return exitCodes.ok;
}

function sentence({ name, rate, inFlight }: CapView): string {
  if (rate === null) return `${name} has no cap.`;
  const flying = inFlight === null ? '' : `, ${String(inFlight)} in flight`;
  return `All hosts of ${name} together are sent at most ${counted(rate, 'request', 'requests')} per second${flying}.`;
}
