/** Settings of a crawl as the file that `./orbweaver crawl --config` takes: JSON values, which YAML has as they are. */
export const yamlOf = (settings: Readonly<Record<string, unknown>>): string =>
  Object.entries(settings)
    .map(([name, value]) =>
      Array.isArray(value) && value.length > 0
        ? `${name}:\n${value.map((each) => `  - ${JSON.stringify(each)}\n`).join('')}`
        : `${name}: ${JSON.stringify(value)}\n`,
    )
    .join('');

/** Gives the browser a file that was made here. */
export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/yaml' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => {
    URL.revokeObjectURL(url);
  }, 10_000);
}
