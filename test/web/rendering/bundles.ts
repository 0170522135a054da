/** The scripts of the pages of frameworks, bundled as their sites bundle them: an entry each, what they share apart. */
import path from 'node:path';
import { build } from 'rolldown';
import { compile } from 'svelte/compiler';

const apps = ['react', 'preact', 'vue', 'svelte'] as const;

const svelte = {
  name: 'svelte',
  transform: {
    filter: { id: /\.svelte$/ },
    handler: (code: string, filename: string) => {
      const { js } = compile(code, { filename, generate: 'client' });
      return { code: js.code, moduleType: 'js' as const };
    },
  },
};

async function bundle(): Promise<ReadonlyMap<string, string>> {
  const { output } = await build({
    input: Object.fromEntries(apps.map((app) => [app, path.join(import.meta.dirname, 'apps', `${app}.mjs`)])),
    platform: 'browser',
    plugins: [svelte],
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    output: { format: 'es', minify: true, entryFileNames: '[name].js', chunkFileNames: '[name].js' },
    write: false,
    logLevel: 'silent',
  });
  return new Map(
    output.flatMap((file) => (file.type === 'chunk' ? [[`/lib/${file.fileName}`, file.code]] : [])),
  );
}

let made: Promise<ReadonlyMap<string, string>> | undefined;
/** By path. Made once a process. */
export const bundles = (): Promise<ReadonlyMap<string, string>> => (made ??= bundle());
