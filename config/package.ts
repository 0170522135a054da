/** Where the project's code and its package.json are, whether run from the sources or from dist/. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The folder that holds cli/, workers/, api/ …: the repository, or its dist/. */
export const codeRoot = path.join(import.meta.dirname, '..');

/** `.ts` when run from the sources, `.js` when built: entry scripts of child processes end like this file. */
const scriptExtension = path.extname(import.meta.filename);

/** The folder of package.json. */
export const projectRoot = existsSync(path.join(codeRoot, 'package.json'))
  ? codeRoot
  : path.join(codeRoot, '..');

/** The absolute path of an entry script given without its extension, such as `workers/main`. */
export const entryScript = (name: string): string => path.join(codeRoot, `${name}${scriptExtension}`);

const readVersion = (): string => {
  const manifest: unknown = JSON.parse(readFileSync(path.join(projectRoot, 'package.json'), 'utf8'));
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest && manifest.version;
  return typeof version === 'string' ? version : '0.0.0';
};

/** The version in package.json. */
export const version = readVersion();
