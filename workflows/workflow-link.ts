/** Links from the page of one workflow in Temporal Web to that of another. */
import { plainMarkdown } from '../domain/plain-markdown.ts';

/** In Markdown. Relative to where Temporal Web renders it, so that its own address need not be known. */
export function workflowLink(namespace: string, workflowId: string, text: string): string {
  return `[${plainMarkdown(text)}](namespaces/${part(namespace)}/workflows/${part(workflowId)})`;
}

/** Without what ends an address in Markdown. */
const part = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*_~]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
