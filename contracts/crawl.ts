/**
 * A crawl as every process sees it: its settings, its states and its ledger. Settings are stored in Postgres
 * (`crawl.config`) and answered by the API, so they are only ever added: each is one entry in the file of its family.
 */
import type { z } from 'zod';
import { content } from './crawl-settings/content.ts';
import { instance } from './crawl-settings/instance.ts';
import { limits } from './crawl-settings/limits.ts';
import { order } from './crawl-settings/order.ts';
import { pace } from './crawl-settings/pace.ts';
import { what } from './crawl-settings/what.ts';

export const settings = { ...limits, ...what, ...pace, ...order, ...content, ...instance };
export type Settings = typeof settings;
export const settingFamilies: Readonly<Record<string, Partial<Settings>>> = {
  limits,
  what,
  pace,
  order,
  content,
  instance,
};
export const settingNames = Object.keys(settings) as readonly (keyof Settings)[];

type LiveSetting = {
  [F in keyof Settings]: Settings[F] extends { readonly startOnly: true } ? never : F;
}[keyof Settings];
/** Those that may change while a crawl runs. */
export const liveSettings = settingNames.filter(
  (name): name is LiveSetting => !('startOnly' in settings[name]),
);

type Fixed<T> = T extends object ? { readonly [K in keyof T]: Fixed<T[K]> } : T;

export type CrawlConfig = { readonly [F in keyof Settings]: Fixed<z.output<Settings[F]['schema']>> };

export const defaultCrawlConfig = Object.fromEntries(
  settingNames.map((name) => [name, settings[name].fallback]),
) as CrawlConfig;

/** Stored settings made whole: a setting that is newer than the stored ones has its default. */
export const wholeConfig = (stored: Partial<CrawlConfig>): CrawlConfig => ({
  ...defaultCrawlConfig,
  ...stored,
});

export { closedCrawlStates, crawlStates, standsAs, type CrawlState } from '../domain/crawl-life.ts';
export { urlStates, type Ledger, type UrlState } from '../domain/ledger.ts';
