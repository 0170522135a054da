/** Where addresses are, by a file in the MaxMind format that a user supplies (countries or cities). */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { Reader, type CountryResponse } from 'mmdb-lib';

/**
 * Country and continent of an address, as `de` and `continent-eu`; null: the file does not know it. The file is kept in
 * memory. @throws where it cannot be read, or is not in that format
 */
export function openGeoip(file: string): (address: string | null) => readonly string[] | null {
  const reader = new Reader<CountryResponse>(readFileSync(file));
  return (address) => {
    if (address === null || isIP(address) === 0) return null;
    const found = reader.get(address);
    if (found === null) return null;
    const country = (found.country ?? found.registered_country)?.iso_code.toLowerCase();
    const continent = found.continent?.code.toLowerCase();
    return [
      ...(country === undefined ? [] : [country]),
      ...(continent === undefined ? [] : [`continent-${continent}`]),
    ];
  };
}
