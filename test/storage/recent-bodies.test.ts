/** The bodies that a process keeps in front of the store. */
import { expect, it } from 'vitest';
import { RecentBodies, type BodyStore, type Capture } from '../../storage/archive/index.ts';

const body = Buffer.from('a page');
const capture: Capture = {
  ...{ hash: Buffer.alloc(32, 1), url: 'https://a.example/', at: new Date(), remoteAddress: null, asked: {} },
  ...{ status: 200, headers: {}, body, truncated: false },
};

function open(): { readonly recent: RecentBodies; readonly asked: Uint8Array[] } {
  const asked: Uint8Array[] = [];
  const store: BodyStore = {
    put: () => Promise.resolve({ segment: 1, at: 0, length: 1, known: false }),
    get: (hash) => {
      asked.push(hash);
      return Promise.resolve(body);
    },
  };
  return { recent: new RecentBodies(store), asked };
}

it('hands a body out once, and asks the store from then on', async () => {
  const { recent, asked } = open();
  await recent.put(capture);
  expect([await recent.get(capture.hash), asked.length]).toEqual([body, 0]);
  expect([await recent.get(capture.hash), asked.length]).toEqual([body, 1]);
});

it('does not take the nothing that a 304 brings for the body', async () => {
  const { recent, asked } = open();
  await recent.put({ ...capture, status: 304, body: Buffer.of(), unchangedSince: new Date() });
  expect([await recent.get(capture.hash), asked.length]).toEqual([body, 1]);
});
