/** The tool that fetches a page: how it waits. */
import { expect, it } from 'vitest';
import { Refusal } from '../../agents/api.ts';
import type { Call } from '../../agents/tool.ts';
import { fetchPage } from '../../agents/tools/fetch.ts';

const id = '7d0f3a52-0f0c-4a35-8a43-5c1b8c3f2a11';
const waiting = { id, crawlId: '3', waiting: { because: 'its host rests', at: null, ahead: null } };

/** @param answers to one look after another; the last of them to all further ones */
async function fetching(answers: readonly object[]) {
  let looks = 0;
  const call = {
    ask: () => {
      const answer = answers[Math.min(looks++, answers.length - 1)];
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    progress: () => undefined,
    signal: new AbortController().signal,
  } as unknown as Call;
  const told = await fetchPage.run({ url: 'https://a.example/', waitSeconds: 1 } as never, call);
  return { told, looks };
}

it('looks again no sooner than the API says where no wait is free', async () => {
  const { told, looks } = await fetching([waiting]);
  expect(looks).toBe(2);
  expect(told.facts).toMatchObject({ fetchId: id });
});

it('keeps its fetch where it is told to come back later', async () => {
  const { told } = await fetching([waiting, new Refusal(429, 'too many requests', 5_000)]);
  expect(told.facts).toMatchObject({ fetchId: id });
});
