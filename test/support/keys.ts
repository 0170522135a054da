/** The key of an instance of the tests. */
import { randomBytes } from 'node:crypto';
import { SecretKeys } from '../../storage/sessions/index.ts';

const key = randomBytes(32);
export const testKeys = new SecretKeys(() => [key]);
