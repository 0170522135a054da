/** Secrets that somebody put into a URL, where they do not belong: they stand in no log and no audit entry. */

/** API keys, and tokens of an issuer (JSON Web Tokens: their head begins with `{"`, which is `eyJ` in Base64). */
const secrets = /owk_[\w-]+|eyJ[\w-]+(?:\.[\w-]*)*/g;

export const withoutSecrets = (url: string): string => url.replace(secrets, '[key]');
