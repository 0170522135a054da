/** Inputs that several tools take. */
import { z } from 'zod';
import { crawlId as id, maxUrlInUrl } from '../contracts/http/shared.ts';

export const crawlId = id.describe('Id of the crawl, such as "3": list_crawls names them.');

export const pageUrl = z
  .string()
  .min(1)
  .max(maxUrlInUrl)
  .describe('URL of the page, absolute, in any spelling.');

export const cursor = z
  .string()
  .max(400)
  .optional()
  .describe('`next` of the previous result, for what follows. Leave it out for the beginning.');

export const limit = (usual: number) =>
  z
    .int()
    .min(1)
    .max(50)
    .default(usual)
    .describe('Entries at most. A result has fewer if they would be too long.');
