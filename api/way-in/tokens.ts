/**
 * OAuth 2 bearer tokens (RFC 6750) that are JWTs (RFC 7519, RFC 8725): signed by one issuer with a key of its JWKS,
 * made for us, not expired, and naming tenant and role in claims. Only signatures with public keys are accepted. So
 * neither `none` is accepted, nor a token that uses a public key as HMAC secret.
 */
import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload } from 'jose';
import { roles, type Role } from '../../contracts/tenancy.ts';

export interface TokenSettings {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  /** Names of claims; a name that is no claim is a path into objects, such as `realm_access.roles`. */
  readonly tenantClaim: string;
  readonly roleClaim: string;
  /** Milliseconds before the keys may be asked for again because of an unknown kid. */
  readonly cooldownMs?: number;
}

export interface ValidToken {
  readonly subject: string;
  /** Id or name, as the token has it. */
  readonly tenant: string;
  readonly role: Role;
  /** Milliseconds for which the token is still valid. */
  readonly forMs: number;
}

/** The issuer's keys could not be fetched: nobody can say whether a token is good. */
export class TokensUnavailable extends Error {
  override readonly name = 'TokensUnavailable';
}

/** Null: not accepted, whatever the reason. @throws TokensUnavailable */
export type VerifyToken = (token: string) => Promise<ValidToken | null>;

const algorithms = [
  'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519',
]; // prettier-ignore
/** Clocks may differ by so many seconds. */
const toleranceSeconds = 5;

export function createTokenVerifier(settings: TokenSettings): VerifyToken {
  const keys = createRemoteJWKSet(new URL(settings.jwksUrl), {
    cooldownDuration: settings.cooldownMs ?? 30_000,
    cacheMaxAge: 600_000,
    timeoutDuration: 5_000,
  });
  return async (token) => {
    let payload: JWTPayload;
    try {
      ({ payload } = await jwtVerify(token, keys, {
        issuer: settings.issuer,
        audience: settings.audience,
        algorithms,
        requiredClaims: ['exp'],
        clockTolerance: toleranceSeconds,
      }));
    } catch (error) {
      if (isRefusal(error)) return null;
      throw new TokensUnavailable('the keys of the token issuer could not be fetched', { cause: error });
    }
    const tenant = claim(payload, settings.tenantClaim);
    const role = highestRole(claim(payload, settings.roleClaim));
    // The issuer decides the types of claims; checking the signature does not check them.
    const { sub: subject } = payload as { readonly sub?: unknown };
    if (!isName(subject) || !isName(String(tenant)) || role === null) return null;
    if (typeof tenant !== 'string' && typeof tenant !== 'number') return null;
    return {
      subject,
      tenant: String(tenant),
      role,
      forMs: ((payload.exp ?? 0) + toleranceSeconds) * 1_000 - Date.now(),
    };
  };
}

/** Whether the fault is the token's own, and not on the way to the keys. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof errors.JOSEError &&
    /^ERR_(JWT|JWS|JOSE_ALG|JOSE_NOT_SUPPORTED|JWKS_NO_MATCHING|JWKS_MULTIPLE)/.test(error.code)
  );
}

/** A name that may stand in the audit log: as long as OpenID Connect Core section 2 allows. */
const isName = (value: unknown): value is string =>
  typeof value === 'string' && /^\P{C}{1,255}$/u.test(value);

function claim(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name];
  return name
    .split('.')
    .reduce<unknown>(
      (value, part) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, part)
          ? (value as Record<string, unknown>)[part]
          : undefined,
      payload,
    );
}

/** The claim is one name, several names between spaces, or a list. Names that are no role of ours are ignored. */
function highestRole(value: unknown): Role | null {
  const names = Array.isArray(value) ? value : typeof value === 'string' ? value.split(' ') : [];
  return roles.findLast((role) => names.includes(role)) ?? null;
}
