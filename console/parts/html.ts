/**
 * Markup of the console. Values in it are text: Preact sets them as text and attributes, so nothing that a site has said
 * becomes an element. What it cannot see is where a link leads, so links to sites go by `outward`.
 */
import { html as preactHtml } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';

export type Children = ComponentChildren;
export const html = preactHtml as (parts: TemplateStringsArray, ...values: readonly unknown[]) => VNode;

/** A link to a page of the web: to http(s) alone, and that page learns nothing of ours. */
export function outward(url: string, text: string = url): VNode {
  if (!/^https?:\/\//i.test(url)) return html`<span>${text}</span>`;
  return html`<a href=${url} target="_blank" rel="noopener noreferrer nofollow" title=${url}>${text}</a>`;
}
