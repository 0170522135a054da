import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Takes minutes on one core, though it is a small file: begun last, all else would be over long before it. */
const longest = 'test/integration/api/conformance.test.ts';

/** Vitest's own order (by time, where it knows any, otherwise by size), but for the longest file. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => Number(b.moduleId.endsWith(longest)) - Number(a.moduleId.endsWith(longest)));
  }
}
