/** `console`: a link that signs in once. */
import { signInLink } from '../../contracts/http/console.ts';
import { asks } from '../verb.ts';

export const verbs = [
  asks({
    words: 'console',
    route: 'POST /v1/sign-in-links',
    needs: 'all',
    answer: signInLink,
    print: ({ url }) => [url],
  }),
];
