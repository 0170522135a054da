/** A whole archive segment, unpacked by the program of its format, which knows nothing of our members. */
import { spawnSync } from 'node:child_process';
import type { SegmentFormat } from '../../storage/archive/index.ts';

export function allMembers(segment: Uint8Array, format: SegmentFormat): Buffer {
  const { error, status, stdout, stderr } = spawnSync(format, ['-dc'], {
    input: segment,
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${format}: ${stderr.toString()}`);
  return stdout;
}
