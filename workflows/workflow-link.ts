/** Links between pages of workflows in Temporal Web. */
import { plainMarkdown } from '../domain/plain-markdown.ts';

/** A link in Markdown. Relative to the page where it is shown, so that the address of Temporal Web need not be known. */
export function workflowLink(namespace: string, workflowId: string, text: string): string {
  return `[${plainMarkdown(text)}](namespaces/${part(namespace)}/workflows/${part(workflowId)})`;
}

/** Behind a headline. @param screen of the console, as the memo of the workflow has it; what is no text gives no link */
export const consoleLink = (screen: unknown): string =>
  typeof screen === 'string' ? ` ([console](${screen}))` : '';

/** A part of a path, with characters escaped that would end an address in Markdown. */
const part = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*_~]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
