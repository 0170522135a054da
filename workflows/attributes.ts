/** Custom search attributes (docs/design.md, "The workflows"). Set only on change, since each update costs an event. */
import { defineSearchAttributeKey, type SearchAttributeUpdatePair } from '@temporalio/common';
import { upsertSearchAttributes } from '@temporalio/workflow';

const keys = {
  CrawlState: defineSearchAttributeKey('CrawlState', 'KEYWORD'),
  QueueDepth: defineSearchAttributeKey('QueueDepth', 'INT'),
  DeadLetters: defineSearchAttributeKey('DeadLetters', 'INT'),
  NextFetchTime: defineSearchAttributeKey('NextFetchTime', 'DATETIME'),
  LastError: defineSearchAttributeKey('LastError', 'KEYWORD'),
} as const;

export interface Attributes {
  readonly CrawlState: string;
  readonly QueueDepth?: number;
  readonly DeadLetters?: number;
  readonly NextFetchTime?: Date | null;
  readonly LastError?: string | null;
}

/** Returns a function that sets only attributes with a new value. */
export function attributeSetter(): (attributes: Attributes) => void {
  const shown = new Map<string, string>();
  return (attributes) => {
    const changed: SearchAttributeUpdatePair[] = [];
    for (const name of Object.keys(attributes) as (keyof Attributes)[]) {
      const value = attributes[name] ?? null;
      const seen = shown.get(name);
      if (seen === JSON.stringify(value) || (seen === undefined && value === null)) continue;
      shown.set(name, JSON.stringify(value));
      changed.push({ key: keys[name], value } as SearchAttributeUpdatePair);
    }
    if (changed.length > 0) upsertSearchAttributes(changed);
  };
}

/** Rounded down to a power of ten, so that the attribute changes a few times in a host's life, not with every slice. */
export const magnitude = (count: number): number => (count < 1 ? 0 : 10 ** Math.floor(Math.log10(count)));
