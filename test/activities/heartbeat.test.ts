import { describe, expect, it, vi } from 'vitest';
import { withHeartbeat } from '../../activities/heartbeat.ts';
import { asActivity } from '../support/activity.ts';

describe('the heartbeats of an activity', () => {
  it.each([8_000, 1_200_000])(
    'come four times in the %i ms that may pass between two',
    async (heartbeatTimeoutMs) => {
      vi.useFakeTimers();
      try {
        const heartbeat = vi.fn();
        const work = Promise.withResolvers<string>();
        const result = asActivity(() => withHeartbeat(() => work.promise), { heartbeat, heartbeatTimeoutMs });
        vi.advanceTimersByTime(heartbeatTimeoutMs);
        expect(heartbeat).toHaveBeenCalledTimes(4);
        work.resolve('done');
        expect(await result).toBe('done');
        vi.advanceTimersByTime(heartbeatTimeoutMs);
        expect(heartbeat).toHaveBeenCalledTimes(4);
      } finally {
        vi.useRealTimers();
      }
    },
  );
});
