/** Requests to an API that is served without a key of its own, as callers of several tenants. */
import { type WantedKey, createKey, createTenant } from '../../../storage/tenancy/index.ts';
import type { Pool } from '../../../storage/postgres/index.ts';
import type { QuotasAsked, Role } from '../../../contracts/tenancy.ts';

export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

/** @param token sent as bearer token; null: none */
export async function ask<T = unknown>(
  url: string,
  token: string | null,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer<T>> {
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    body: (isJson ? JSON.parse(text) : text) as T,
  };
}

export async function newKey(
  pool: Pool,
  tenantId: string,
  role: Role,
  wanted: Partial<WantedKey> = {},
): Promise<string> {
  const created = await createKey(pool, tenantId, {
    name: role,
    role,
    scopes: null,
    expiresAt: null,
    ...wanted,
  });
  if (created === null) throw new Error(`there is no tenant ${tenantId}`);
  return created.key;
}

let made = 0;
export async function newTenant(pool: Pool, quotas: QuotasAsked = {}): Promise<string> {
  const tenant = await createTenant(pool, `tenant ${String(++made)}`, quotas);
  if (tenant === null) throw new Error('the name is taken');
  return tenant.id;
}
