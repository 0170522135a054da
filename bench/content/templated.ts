/** Pages as widely used programs write them, around texts that are known by construction, each in a few languages. */
import { codes, readDeclaration } from './declarations.ts';
import type { KnownPage } from './main-texts.ts';
import { blogs } from './templates/blogs.ts';
import { forums } from './templates/forums.ts';
import { manuals } from './templates/manuals.ts';
import { news } from './templates/news.ts';
import { sites } from './templates/sites.ts';
import { type Template, Writer } from './templates/writer.ts';

const families: Readonly<Record<string, Readonly<Record<string, Template>>>> = {
  ...{ blogs, news, forums, sites, handbooks: manuals },
};
/** Languages whose words stand apart, in five scripts. */
const languages = ['en', 'de', 'fr', 'es', 'pl', 'ru', 'tr', 'el', 'vi', 'ar', 'hu', 'id', 'fi'];
const pagesOfEach = 5;

/** @param folder of the declarations */
export function templatedPages(folder: string): Readonly<Record<string, readonly KnownPage[]>> {
  const words = languages.flatMap((language) => {
    const code = codes[language];
    if (code === undefined) return [];
    return [{ language, words: readDeclaration(folder, code).paragraphs.join(' ').split(/\s+/) }];
  });
  let seed = 0;
  return Object.fromEntries(
    Object.entries(families).map(([family, templates]) => [
      family,
      Object.entries(templates).flatMap(([name, template]) =>
        Array.from({ length: pagesOfEach }, (): KnownPage => {
          const of = words[seed++ % words.length];
          const writer = new Writer(of?.words ?? [], seed);
          const html = template(writer);
          return {
            name: `${name} (${of?.language ?? ''})`,
            body: Buffer.from(html),
            known: writer.known.join('\n'),
          };
        }),
      ),
    ]),
  );
}
