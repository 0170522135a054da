/** What our pages for people share: escaping, and a policy under which nothing is loaded or run. */
import { hash } from 'node:crypto';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For text and for quoted attributes. */
export const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? '');

/** A Content-Security-Policy: nothing may be loaded, run or embedded; only the given style is applied. */
export const policyFor = (style: string): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
