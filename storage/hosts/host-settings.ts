/**
 * SQL that reads what an operator set for a host. All settings of a host are one value, `host.settings`.
 * @param host the row's name with a dot, such as `h.`, or nothing
 */
import { hostSettingNames, type HostSettings } from '../../contracts/hosts.ts';

/** One setting, as text; null: the setting is not set. */
export const hostSetting = (name: keyof HostSettings, host = ''): string => `(${host}settings ->> '${name}')`;

/** Requests a day, as an operator has set them, else as the host's quality asks; null: as many as any host may get. */
export const hostQuota = (host = ''): string =>
  `coalesce(${hostSetting('quotaPerDay', host)}::int, ${host}budget)`;

/** All settings, as `HostSettings`; a field is null if the setting is not set. */
export const hostSettings = (host = ''): string =>
  `json_build_object(${hostSettingNames.map((name) => `'${name}', ${host}settings -> '${name}'`).join(', ')}) as settings`;
