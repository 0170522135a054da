/** Where the API listens, who may use it, and how the command line finds it. */
import { apiKey, cidrs, endpoint, hostNames, secureUrl, text, webUrl } from '../values.ts';
import { nullable, setting } from './setting.ts';

export const apiSettings = {
  apiHost: setting({
    name: 'ORBWEAVER_API_HOST',
    type: 'address',
    schema: text,
    fallback: '127.0.0.1',
    description: 'Address on which the API listens.',
  }),
  apiNames: setting({
    name: 'ORBWEAVER_API_NAMES',
    type: 'host names, comma-separated',
    schema: hostNames,
    fallback: '',
    description:
      'Host names for which the API answers, in addition to addresses and localhost: names that a proxy, a container or a certificate gives the API.',
  }),
  trustedProxies: setting({
    name: 'ORBWEAVER_TRUSTED_PROXIES',
    type: 'CIDR list',
    schema: cidrs,
    fallback: '',
    defaultNote: 'none',
    description:
      'Proxies in front of the API whose `X-Forwarded-For` is trusted. Requests are counted for the rightmost address in that field that is not such a proxy.',
  }),
  adminKey: nullable({
    name: 'ORBWEAVER_ADMIN_KEY',
    type: '`owk_` and 32 to 128 letters, digits, `-`, `_`',
    schema: apiKey,
    fallback: null,
    defaultNote: 'a key that is made and printed once at the first start',
    description: 'API key for an admin of the instance, if you bring your own.',
    secret: true,
  }),
  temporalWeb: nullable({
    name: 'ORBWEAVER_TEMPORAL_WEB',
    type: 'http or https URL',
    schema: webUrl,
    fallback: null,
    defaultNote: 'that of the embedded stack',
    description: 'Where people reach Temporal Web: the console links to workflows there.',
  }),
  consoleUrl: nullable({
    name: 'ORBWEAVER_CONSOLE',
    type: 'http or https URL',
    schema: endpoint,
    fallback: null,
    defaultNote: 'that of the embedded stack',
    description:
      'Where people reach the console, such as `https://crawler.example/console/`: workflows in Temporal Web link to it.',
  }),
  server: nullable({
    name: 'ORBWEAVER_SERVER',
    type: 'http or https URL',
    schema: webUrl,
    fallback: null,
    defaultNote: 'the stack on the data folder',
    description: 'API that the command line uses.',
  }),
  apiKey: nullable({
    name: 'ORBWEAVER_API_KEY',
    type: 'API key or token',
    schema: text,
    fallback: null,
    defaultNote: 'with a server: none; for the stack on the data folder: the key in its file `admin-key`',
    description: 'Key that the command line sends to the API.',
    secret: true,
  }),
  jwksUrl: nullable({
    name: 'ORBWEAVER_JWKS_URL',
    type: 'https URL',
    schema: secureUrl,
    fallback: null,
    defaultNote: 'none: API keys only',
    description:
      'URL of the keys of the issuer whose JWTs the API accepts as bearer tokens; plain http on loopback only.',
  }),
  jwtIssuer: nullable({
    name: 'ORBWEAVER_JWT_ISSUER',
    type: 'text',
    schema: text,
    fallback: null,
    defaultNote: 'none; must be set if `ORBWEAVER_JWKS_URL` is set',
    description: 'Value that the claim `iss` of tokens must have.',
  }),
  jwtAudience: nullable({
    name: 'ORBWEAVER_JWT_AUDIENCE',
    type: 'text',
    schema: text,
    fallback: null,
    defaultNote: 'none; must be set if `ORBWEAVER_JWKS_URL` is set',
    description: 'Value that the claim `aud` of tokens must contain.',
  }),
  jwtTenantClaim: setting({
    name: 'ORBWEAVER_JWT_TENANT_CLAIM',
    type: 'text',
    schema: text,
    fallback: 'tenant',
    description: 'Claim that names the tenant, by id or name; `a.b` looks into objects.',
  }),
  jwtRoleClaim: setting({
    name: 'ORBWEAVER_JWT_ROLE_CLAIM',
    type: 'text',
    schema: text,
    fallback: 'role',
    description:
      'Claim with the role (reader, operator or admin), or with a list of roles; the highest role counts.',
  }),
} as const;
