/** What a kind of page is: how the server answers for it, and what is known to be true of it. */
import { storyHtml, storyText, type Story } from './story.ts';

/** Where a page of a kind lies. */
export interface Place {
  /** Path of the page, `/KIND/N`. */
  readonly at: string;
  readonly story: Story;
  readonly origin: string;
  /** Another host of the web, which answers for the same paths. */
  readonly other: string;
}

export interface Ask {
  readonly method: string;
  /** Below the page: `story.json` of `/KIND/N/story.json`. */
  readonly file: string;
  readonly query: URLSearchParams;
  readonly cookie: string;
}

export interface Reply {
  readonly status?: number;
  readonly type?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delayMs?: number;
}

/** What a person sees who opens the page in a browser and scrolls to its end. */
export interface Truth {
  readonly text: string;
  /** Root-relative or absolute. */
  readonly links: readonly string[];
  readonly title?: string;
  readonly canonical?: string;
  /** Type of an item of schema.org. */
  readonly schema?: string;
  /** Where its scripts send the window. */
  readonly navigation?: string;
}

export interface Kind {
  readonly name: string;
  /** Its plain body lacks text or links. */
  readonly needs: boolean;
  readonly page: (place: Place) => string | Reply | Promise<string>;
  /** Below the page, beside its story and its leaves. Null: there is no such file. */
  readonly file?: (ask: Ask, place: Place) => Reply | null;
  /** Where it is not the story. */
  readonly truth?: (place: Place) => Partial<Truth>;
  /** Why a browser that asks the archive alone shows less; absent: it does not. */
  readonly gap?: string;
}

export const truthOf = (kind: Kind, place: Place): Truth => ({
  text: storyText(place.story),
  links: place.story.links.map(({ href }) => href),
  ...kind.truth?.(place),
});

export const document = (head: string, body: string, start = ''): string =>
  `<!doctype html>\n<html lang="en"><head>${start}<meta charset="utf-8">${head}</head><body>${body}</body></html>`;

export const titled = ({ story }: Place): string => `<title>${story.heading}</title>`;

/** A page as its server wrote it. */
export const written = (place: Place, head = '', after = ''): string =>
  document(titled(place) + head, `<main>${storyHtml(place.story)}</main>${after}`);

export const js = (body: string, over: Partial<Reply> = {}): Reply => ({
  type: 'text/javascript',
  body,
  ...over,
});
export const json = (value: unknown, over: Partial<Reply> = {}): Reply => ({
  type: 'application/json',
  body: JSON.stringify(value),
  ...over,
});

/** `at`, `show` and `load` for the scripts of pages. */
export const showScript = `const at = location.pathname;
const storyHtml = ${storyHtml.toString()};
const mount = () => document.getElementById('app');
const show = (story, into = mount()) => { into.innerHTML = storyHtml(story); };
const load = async (url = at + '/story.json', options = undefined) => {
  const answer = await fetch(url, options);
  if (!answer.ok) throw new Error(url + ' answers ' + answer.status);
  return answer.json();
};
`;
const withShow = '<script src="/lib/show.js"></script>';

/** A page that this script builds in an empty element. */
export const built = (
  name: string,
  script: string | ((place: Place) => string),
  over: Partial<Omit<Kind, 'name'>> & { readonly mount?: string; readonly headers?: Reply['headers'] } = {},
): Kind => {
  const { mount = '<div id="app"></div>', headers = {}, ...kind } = over;
  return {
    name,
    needs: true,
    page: (place) => {
      const source = typeof script === 'string' ? script : script(place);
      return { headers, body: document(titled(place) + withShow, `${mount}<script>${source}</script>`) };
    },
    ...kind,
  };
};
