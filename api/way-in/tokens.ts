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

/** Why a token is not accepted: the check that failed, in characters that may stand in WWW-Authenticate (RFC 6750, section 3). */
export interface Refused {
  readonly refused: string;
}

/** @throws TokensUnavailable */
export type VerifyToken = (token: string) => Promise<ValidToken | Refused>;

const algorithms = [
  'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519',
]; // prettier-ignore
/** Clocks may differ by so many seconds. */
const toleranceSeconds = 5;
/** Nobody can take a token back: one that outlives this is a mistake of its issuer, or no longer anybody's. */
const longestSeconds = 366 * 86_400;

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
      if (isRefusal(error)) return { refused: failedCheck(error) };
      throw new TokensUnavailable('the keys of the token issuer could not be fetched', { cause: error });
    }
    const lasts = wrongTimes(payload);
    if (lasts !== null) return { refused: lasts };
    const tenant = claim(payload, settings.tenantClaim);
    const role = highestRole(claim(payload, settings.roleClaim));
    // The issuer decides the types of claims; checking the signature does not check them.
    const { sub: subject } = payload as { readonly sub?: unknown };
    if (!isName(subject)) return { refused: 'sub must be a name of 1 to 255 characters' };
    if ((typeof tenant !== 'string' && typeof tenant !== 'number') || !isName(String(tenant)))
      return { refused: `${plain(settings.tenantClaim)} must be the id or name of a tenant` };
    if (role === null) return { refused: `${plain(settings.roleClaim)} holds no role of this API` };
    return {
      subject,
      tenant: String(tenant),
      role,
      forMs: ((payload.exp ?? 0) + toleranceSeconds) * 1_000 - Date.now(),
    };
  };
}

/** Whether the fault is the token's own, and not on the way to the keys. */
function isRefusal(error: unknown): error is errors.JOSEError {
  return (
    error instanceof errors.JOSEError &&
    /^ERR_(JWT|JWS|JOSE_ALG|JOSE_NOT_SUPPORTED|JWKS_NO_MATCHING|JWKS_MULTIPLE)/.test(error.code)
  );
}

const checks: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'exp has passed',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'the signature does not fit',
  ERR_JWKS_NO_MATCHING_KEY: 'the issuer has no key with this kid and alg',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'several keys of the issuer fit: kid is missing',
  ERR_JOSE_ALG_NOT_ALLOWED: 'alg must be an accepted signature with a public key',
};
const claims: Readonly<Record<string, string>> = {
  iss: 'iss is not the issuer of this API',
  aud: 'aud does not name this API',
  nbf: 'nbf is still to come',
};

function failedCheck({ code, claim: name }: errors.JOSEError & { readonly claim?: unknown }): string {
  const of = typeof name === 'string' && /^\w+$/.test(name) ? name : null;
  return (
    checks[code] ??
    (of === null ? 'it is not a well-formed JWT' : (claims[of] ?? `${of} is missing or not valid`))
  );
}

/** Null: the token was made before now, and does not last too long. */
function wrongTimes({ iat, exp = 0 }: JWTPayload): string | null {
  const now = Date.now() / 1_000;
  if (iat !== undefined && typeof iat !== 'number') return 'iat is missing or not valid';
  if (iat !== undefined && iat > now + toleranceSeconds) return 'iat is still to come';
  if (exp - Math.min(iat ?? now, now) > longestSeconds) return 'exp is more than a year after iat';
  return null;
}

/** The name of a claim is a setting, which may hold anything. */
const plain = (name: string): string => name.replace(/[^\w.:/-]/g, '?');

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
