/** The file of `--rules`: how the pages of a crawl are read, as in the API. */
import { pageRules } from '../../contracts/http/page-rules.ts';
import { readYamlFile } from './yaml-file.ts';

/** @throws CommandError that names the line */
export const readRules = (file: string): Promise<Record<string, unknown>> =>
  readYamlFile(file, pageRules, {
    file: 'rules file',
    holds: 'rules, such as fields: {price: {select: .price, type: number}}',
    one: 'part',
    all: 'parts',
  });
