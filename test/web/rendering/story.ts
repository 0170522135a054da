/**
 * What a page of the web for rendering says: a heading, paragraphs and links, drawn from its address. All kinds of page
 * say such a story; they differ in how it gets into the page.
 */
import { randomFrom } from '../random.ts';
import { phrase, sentencesIn } from '../words.ts';

export interface Story {
  readonly heading: string;
  readonly paragraphs: readonly string[];
  /** Root-relative. */
  readonly links: readonly { readonly href: string; readonly label: string }[];
}

/** Names of the plain pages below each page. */
export const leaves = ['a', 'b', 'c'] as const;

function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

/** @param at path of the page, `/KIND/N` */
export function storyAt(at: string): Story {
  const random = randomFrom(seedOf(at));
  const sentences = (count: number): string =>
    Array.from({ length: count }, () => random.pick(sentencesIn('en'))).join(' ');
  return {
    heading: phrase(random, 'en', 4),
    paragraphs: Array.from({ length: 3 }, () => sentences(3)),
    links: leaves.map((leaf) => ({ href: `${at}/${leaf}`, label: phrase(random, 'en', 2) })),
  };
}

/** Pages are given the source of this function, so it uses its parameter alone. The texts want no escaping. */
export function storyHtml(story: Story): string {
  const items = story.links.map((link) => '<li><a href="' + link.href + '">' + link.label + '</a></li>');
  const paragraphs = story.paragraphs.map((text) => '<p>' + text + '</p>');
  return '<h1>' + story.heading + '</h1>' + paragraphs.join('') + '<ul>' + items.join('') + '</ul>';
}

/** As people read it. */
export const storyText = ({ heading, paragraphs, links }: Story): string =>
  [heading, ...paragraphs, ...links.map(({ label }) => label)].join(' ');
