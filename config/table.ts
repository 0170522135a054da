/**
 * Every setting of every process, by family in `settings/`: the one place where a name, a meaning and a default are written
 * down. docs/settings.md's table is made from it, `loadConfig` reads by it, and the stack hands settings to its children
 * through it.
 */
import { apiSettings } from './settings/api.ts';
import { capSettings } from './settings/caps.ts';
import { crawlingSettings } from './settings/crawling.ts';
import { fetchingSettings } from './settings/fetching.ts';
import { networkSettings } from './settings/network.ts';
import { observingSettings } from './settings/observing.ts';
import { portSettings } from './settings/ports.ts';
import { pressureSettings } from './settings/pressure.ts';
import { regionSettings } from './settings/regions.ts';
import { stackSettings } from './settings/stack.ts';
import { storageSettings } from './settings/storage.ts';

/** In the order of docs/settings.md. */
export const settings = {
  ...stackSettings,
  ...storageSettings,
  ...networkSettings,
  ...fetchingSettings,
  ...regionSettings,
  ...capSettings,
  ...pressureSettings,
  ...crawlingSettings,
  ...apiSettings,
  ...portSettings,
  ...observingSettings,
} as const;

/** The name of the setting that is no setting: where the optional settings file is. */
export const settingsFileName = 'ORBWEAVER_CONFIG';

/** Rows for docs/settings.md: name, type, default, description, as plain Markdown without pipes. */
const settingsRows = (): readonly (readonly [string, string, string, string])[] => [
  [
    settingsFileName,
    'file',
    'none',
    'File that holds a JSON object with the settings below. Variables of the environment win over the file.',
  ],
  ...Object.values(settings).map((row) => {
    const fallback = typeof row.fallback === 'string' ? `\`${row.fallback}\`` : '';
    return [row.name, row.type, row.defaultNote ?? fallback, row.description] as const;
  }),
];

/** The settings as a Markdown table. */
export const settingsMarkdown = (): string =>
  ['| Setting | Type | Default | Meaning |', '|---|---|---|---|']
    .concat(
      settingsRows().map(
        ([name, type, fallback, what]) => `| \`${name}\` | ${type} | ${fallback} | ${what} |`,
      ),
    )
    .join('\n');
