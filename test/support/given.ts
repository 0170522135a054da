/** What the tests of a file share: opened before the first of them, closed after the last, what was opened last first. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

/**
 * Stands for what `open` answers from before it is there, so that a file names it in a constant. What is taken out of it
 * before then stands for that part in the same way: `const { pool } = given(…)`. It can stand for objects alone.
 */
export function given<T extends object>(open: () => Promise<T>, close: (opened: T) => unknown): T {
  let opened: T | undefined;
  beforeAll(async () => {
    const made = await open();
    opened = made;
    return async () => {
      await close(made);
    };
  });
  return standIn(() => opened);
}

function standIn<T extends object>(find: () => T | undefined): T {
  const there = (): T => {
    const opened = find();
    if (opened !== undefined) return opened;
    throw new Error('what a file shares is there in its tests and hooks, not before');
  };
  return new Proxy({} as T, {
    get: (_, name) => {
      const opened = find();
      if (opened === undefined)
        return standIn(() => {
          const part = find();
          return part === undefined ? undefined : (Reflect.get(part, name) as object);
        });
      const value: unknown = Reflect.get(opened, name);
      return typeof value === 'function' ? (value.bind(opened) as unknown) : value;
    },
    set: (_, name, value) => Reflect.set(there(), name, value),
    has: (_, name) => name in there(),
    ownKeys: () => Reflect.ownKeys(there()),
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(there(), name),
    defineProperty: (_, name, descriptor) => Reflect.defineProperty(there(), name, descriptor),
    getPrototypeOf: () => Reflect.getPrototypeOf(there()),
  });
}

const makeFolder = (): string => mkdtempSync(path.join(tmpdir(), 'orbweaver-own-'));

/** A folder that is gone after the tests of the file. */
export function ownFolder(): string {
  const folder = makeFolder();
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A folder that is gone after the test. */
export function testFolder(): string {
  const folder = makeFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
