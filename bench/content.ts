/** `npm run bench -- content`: quality of what is read from pages (docs/content.md). */
import { existsSync } from 'node:fs';
import { script } from '../test/support/script.ts';
import { reportMarkdown } from './content/markdown.ts';
import { reportNearDuplicates } from './content/near-duplicates.ts';
import { reportReading } from './content/reading.ts';
import { reportMissing } from './content/soft-404.ts';
import { reportSmallEdits } from './content/small-edits.ts';

const usual = ['/usr/share/doc'];
const command = script(
  'bench -- content',
  'Quality of what is read from pages, beside others on the same pages.',
)
  .argument('[folders...]', `with HTML files whose links are compared (default: ${usual.join(', ')})`)
  .option(
    '--each',
    'tell F1 of each page, ours, of Readability, of trafilatura and of all text, on standard error',
  )
  .parse();
const { each } = command.opts<{ each?: true }>();
const folders = command.args.length > 0 ? command.args : usual.filter((folder) => existsSync(folder));

reportNearDuplicates(1);
reportSmallEdits();
reportMissing(1);
reportMissing(2);
reportMarkdown();
process.exitCode = (await reportReading(folders, each === true)) ? 0 : 1;
