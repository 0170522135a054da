/**
 * Pages in the ways of many hands, for what they tell of date and authors: programs for blogs, news and offices,
 * journals, forums, shops, manuals. Each way is a function of facts.
 */
import { blogs } from './habits/blogs.ts';
import { news } from './habits/news.ts';
import { offices } from './habits/offices.ts';
import { day, type Facts, type HabitPage, slug } from './habits/parts.ts';
import { undated } from './habits/undated.ts';

const facts = (paragraphs: (language: string) => readonly string[]): readonly Facts[] =>
  ([
    ['en-US', '2024-03-06', ['Jane Miller', 'Thomas A. Baker'], 'Council agrees to build a bridge', 'Harbor Times', 'www.harbortimes.example'],
    ['de', '2019-12-11', ['Anna-Lena Groß', 'Jörg van der Meer'], 'Warum der Wald im Winter schweigt', 'Waldbote', 'waldbote.example'],
    ['fr', '2021-08-02', ['Éloïse Dupont'], 'Un été au bord du canal', 'Le Canal', 'www.lecanal.example'],
    ['es', '2016-05-09', ['María José García', 'Pablo Núñez'], 'La feria vuelve a la plaza mayor', 'Diario del Valle', 'diariodelvalle.example'],
    ['ru', '2023-02-07', ['Мария Иванова'], 'Город готовится к весне', 'Волжские вести', 'volga.example'],
  ] as const).map(([language, date, authors, headline, site, host]) => ({
    ...{ language, authors, headline, site, host, paragraphs: paragraphs(language.slice(0, 2)) },
    ...{ date: new Date(`${date}T15:20:30Z`), changed: new Date(Date.parse(`${date}T09:00:00Z`) + 864_000_000) },
  })); // prettier-ignore

/** @param paragraphs of a text in a language */
export const habitPages = (paragraphs: (language: string) => readonly string[]): readonly HabitPage[] =>
  facts(paragraphs).flatMap((f) =>
    Object.entries({ ...blogs, ...news, ...offices, ...undated }).map(([way, make]) => ({
      ...{ way, url: `https://${f.host}/texts/${slug(f)}`, date: day(f.date), authors: f.authors },
      ...make(f),
    })),
  );
