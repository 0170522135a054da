/** Temporal Web of the embedded stack, as a page reaches it that has rebound its name to this machine. */
import { request as ask } from 'node:http';
import { expect, inject, it } from 'vitest';

const statusFor = (url: string, host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    ask(url, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });

it('answers for this machine, and for no other name', async () => {
  const web = inject('stack').temporalUiUrl;
  // A server that is not ours (test/real-temporal) has no Web of ours.
  if (web === null) return;
  for (const path of ['/', '/api/v1/namespaces']) {
    expect(await statusFor(web + path, new URL(web).host)).toBe(200);
    expect(await statusFor(web + path, 'rebound.example')).toBe(421);
  }
});
