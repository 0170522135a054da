/** A message of the Model Context Protocol (JSON-RPC 2.0), as far as the API looks at it; the rest is the protocol's. */
import { z } from 'zod';

export const agentMessage = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string().max(200), z.int()]).optional(),
    method: z.string().max(200).optional(),
    params: z.unknown().optional(),
  })
  .meta({
    id: 'AgentMessage',
    description: 'One message; several in a list are not taken.',
    examples: [{ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }],
  });

/** A message that was not read has no id to be answered by (JSON-RPC 2.0, section 5). */
export const agentRefusal = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: z.null(),
    error: z.looseObject({ code: z.int(), message: z.string() }),
  })
  .meta({ id: 'AgentRefusal' });
