/** The sender of a request, as the gate found out. */
import type { IncomingMessage } from 'node:http';
import type { Quotas, Role, Scope } from '../../contracts/tenancy.ts';

export interface Caller {
  /** For logs: `key <id>` or `token <subject>`; never the secret. */
  readonly id: string;
  readonly tenantId: number;
  readonly role: Role;
  /** Null: the key may do everything its role allows. */
  readonly scopes: readonly Scope[] | null;
  readonly quotas: Quotas;
  /** When the key ends, in milliseconds since 1970. Null: never, or it is a token, whose end the issuer decides. */
  readonly keyEndsAt: number | null;
}

const callers = new WeakMap<IncomingMessage, Caller>();

export function setCaller(request: IncomingMessage, caller: Caller): void {
  callers.set(request, caller);
}

/** Undefined: the route is public. */
export const callerIfAny = (request: IncomingMessage): Caller | undefined => callers.get(request);

/** @throws if the gate let the request pass without a caller: a public route must not ask */
export function callerOf(request: IncomingMessage): Caller {
  const caller = callers.get(request);
  if (caller === undefined) throw new Error('a public route has no caller');
  return caller;
}
