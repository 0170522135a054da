/** The file of `--config`: seeds and settings of a crawl, by their names in the API. */
import { crawlParts } from '../../contracts/http/crawls.ts';
import { readYamlFile } from './yaml-file.ts';

const crawlFile = crawlParts.partial();

/** The content of the file, unchanged, so that every part of it is checked. @throws CommandError that names the line */
export const readCrawlFile = (file: string): Promise<Record<string, unknown>> =>
  readYamlFile(file, crawlFile, {
    file: 'settings file',
    holds: 'settings, such as maxPages: 500',
    one: 'setting',
    all: 'settings',
  });
