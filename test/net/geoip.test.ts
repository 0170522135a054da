/** Files in the MaxMind format: what is read of an address. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openGeoip } from '../../net/geoip.ts';
import { ownFolder } from '../support/given.ts';
import { madeUpMmdb } from '../support/make-mmdb.ts';

const folder = ownFolder();
const opened = (name: string, content: Buffer): ReturnType<typeof openGeoip> => {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return openGeoip(file);
};

it('country and continent of an address, narrowest first', () => {
  const placeOf = opened(
    'places.mmdb',
    madeUpMmdb({
      '10.1.0.0/16': { country: 'DE', continent: 'EU' },
      '10.2.3.4/32': { continent: 'NA' },
      '10.2.3.5/32': {},
    }),
  );
  expect(placeOf('10.1.255.7')).toEqual(['de', 'continent-eu']);
  expect(placeOf('10.2.3.4')).toEqual(['continent-na']);
  expect(placeOf('10.2.3.5')).toEqual([]);
  expect([placeOf('10.2.3.6'), placeOf('::1'), placeOf('name.example'), placeOf(null)]).toEqual([
    null,
    null,
    null,
    null,
  ]);
});

it('a file that is none is refused', () => {
  expect(() => opened('none.mmdb', Buffer.from('no database'))).toThrow();
  expect(() => openGeoip(path.join(folder, 'nowhere.mmdb'))).toThrow(/ENOENT/);
});
