/** Settings of a crawl as the file that `./orbweaver crawl --config` takes: JSON values, which YAML has as they are. */
export const yamlOf = (settings: Readonly<Record<string, unknown>>): string =>
  Object.entries(settings)
    .map(([name, value]) =>
      Array.isArray(value) && value.length > 0
        ? `${name}:\n${value.map((each) => `  - ${JSON.stringify(each)}\n`).join('')}`
        : `${name}: ${JSON.stringify(value)}\n`,
    )
    .join('');
