/** The help of `crawl` and `crawls start`: every option stands in a group, and the groups in one order. */
import { expect, it } from 'vitest';
import { helpGroups } from '../../cli/crawl/crawl-settings.ts';
import { createProgram } from '../../cli/program.ts';

it.each([[['crawl']], [['crawls', 'start']]])('%j has its options in groups', async (path) => {
  let verb = await createProgram(() => undefined);
  for (const name of path) {
    const below = verb.commands.find((each) => each.name() === name);
    if (below === undefined) throw new Error(`there is no ${name}`);
    verb = below;
  }
  expect(verb.options.filter(({ helpGroupHeading }) => helpGroupHeading === undefined)).toEqual([]);
  const headings = [...verb.helpInformation().matchAll(/^(\S.*:)$/gm)].map(([, heading]) => heading);
  const known: readonly string[] = Object.values(helpGroups);
  expect(headings.filter((heading) => known.includes(heading ?? ''))).toEqual(known);
});
