/** docs/tools.md: every tool for agents, as the tools say it. `-u` writes it anew. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { tools } from '../../agents/tools.ts';
import { accessTable } from '../support/access-table.ts';

const who = (route: string): string => {
  const access = accessTable[route];
  if (access === undefined || access === 'public') throw new Error(`no guarded route ${route}`);
  return `${access.least}${access.instance ? ' of the instance' : ''}`;
};

interface Field {
  readonly description?: string;
  readonly default?: unknown;
}

it('is the page of the tools, each with the routes that it asks', async () => {
  const parts = tools.flatMap(({ name, description, input, asks }) => {
    const { properties = {}, required = [] } = z.toJSONSchema(input, { io: 'input' }) as {
      readonly properties?: Readonly<Record<string, Field>>;
      readonly required?: readonly string[];
    };
    const takes = Object.entries(properties).map(([field, { description: about = '', default: usual }]) => {
      const note = required.includes(field)
        ? ' (needed)'
        : usual === undefined
          ? ''
          : ` (usual: \`${JSON.stringify(usual)}\`)`;
      return `- \`${field}\`${note}: ${about}`;
    });
    return [
      `## ${name}`,
      '',
      description,
      '',
      `Asks ${asks.map((route) => `\`${route}\` (${who(route)})`).join(', ')}.`,
      '',
      ...takes,
      '',
    ];
  });
  const page = [
    '# Tools for agents',
    '',
    'What a model is told of each tool, and the routes that the tool asks with the role that each needs. This page is made from the tools (`agents/tools/`) and compared by `test/docs/tools.test.ts`; `npm test -- test/docs/tools.test.ts -u` writes it anew. [agents.md](agents.md) says how a client comes to them.',
    '',
    '<!-- prettier-ignore-start -->',
    '',
    ...parts,
    '<!-- prettier-ignore-end -->',
    '',
  ];
  await expect(page.join('\n')).toMatchFileSnapshot('../../docs/tools.md');
});
