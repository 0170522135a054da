/** Quality of what is read from pages (docs/content.md): `npm run bench:content -- [--each] [FOLDER …]`. */
import { reportMarkdown } from './markdown.ts';
import { reportNearDuplicates } from './near-duplicates.ts';
import { reportReading } from './reading.ts';
import { reportSmallEdits } from './small-edits.ts';

reportNearDuplicates(1);
reportSmallEdits();
reportMarkdown();
process.exitCode = (await reportReading(process.argv.slice(2))) ? 0 : 1;
