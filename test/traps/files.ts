/** The files of a documentation package as a site: what a plain file server would answer. */
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';

/** The file behind a path of the site, or what stands for it; null: there is none. */
export function fileAt(root: string, pathAndQuery: string): Uint8Array | null {
  const [bare = ''] = pathAndQuery.split('?');
  let file: string;
  try {
    file = path.join(root, decodeURIComponent(bare));
  } catch {
    return null;
  }
  if (!file.startsWith(root)) return null;
  for (const each of [file, path.join(file, 'index.html'), `${file}.gz`]) {
    if (!existsSync(each) || !statSync(each).isFile()) continue;
    if (!/\.html?(?:\.gz)?$/.test(realpathSync(each))) return null;
    const bytes = readFileSync(each);
    return each.endsWith('.gz') ? gunzipSync(bytes) : bytes;
  }
  return null;
}
