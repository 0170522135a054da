/** A client of the Temporal of a stack, for verbs that ask it by themselves. */
import { Client, Connection } from '@temporalio/client';
import type { StackInfo } from '../../stack/info.ts';
import { CommandError, exitCodes } from '../ending.ts';
import { reasonOf } from '../output/words.ts';

export type TemporalPlace = Pick<StackInfo, 'temporalAddress' | 'temporalNamespace'>;

export async function withClient<T>(place: TemporalPlace, work: (client: Client) => Promise<T>): Promise<T> {
  const { temporalAddress: address, temporalNamespace: namespace } = place;
  const connection = await Connection.connect({ address }).catch((error: unknown) => {
    throw new CommandError(`Temporal at ${address} cannot be reached: ${reasonOf(error)}.`, exitCodes.broken);
  });
  try {
    return await work(new Client({ connection, namespace }));
  } finally {
    await connection.close();
  }
}
