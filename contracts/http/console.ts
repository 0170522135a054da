/** Signing in to the console, on the wire. */
import { z } from 'zod';
import { roles, scopes } from '../tenancy.ts';
import { instant } from './shared.ts';

const secret = z.string().min(1).max(8_192);

export const signInAsked = z
  .strictObject({
    key: secret.optional().meta({ description: 'An API key, or a token.' }),
    code: secret.optional().meta({ description: 'The code of a link that signs in once.' }),
  })
  .refine(({ key, code }) => (key === undefined) !== (code === undefined), 'give `key` or `code`')
  .meta({ id: 'SignIn' });

export const signedIn = z
  .object({
    actor: z.string().meta({ description: 'As the audit log names the caller.' }),
    tenantId: z.string(),
    instance: z.boolean().meta({ description: 'The caller may also use what is about the whole instance.' }),
    role: z.enum(roles),
    scopes: z.array(z.enum(scopes)).nullable().meta({ description: 'Null: all that the role allows.' }),
    csrfToken: z.string().meta({
      description: 'Requests that change something send it as X-CSRF-Token, beside the cookie.',
    }),
    version: z.string(),
    temporalWeb: z.string().nullable().meta({
      description:
        'Where Temporal Web shows the workflows of this instance, up to their ids; null: not known.',
    }),
  })
  .meta({ id: 'SignedIn' });
export type SignedIn = z.infer<typeof signedIn>;

export const signInLink = z
  .object({
    url: z.string().meta({ description: 'Opens the console, signed in as the caller; it can be used once.' }),
    expiresAt: instant,
  })
  .meta({ id: 'SignInLink' });
export type SignInLink = z.infer<typeof signInLink>;
