/** Numbers, times and errors, written for people. */

const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Bytes with a decimal unit, about three digits. */
export function bytes(value: number): string {
  let size = value;
  let unit = 0;
  while (size >= 1_000 && unit < units.length - 1) {
    size /= 1_000;
    unit++;
  }
  return `${size >= 100 || unit === 0 ? String(Math.round(size)) : size.toFixed(1)} ${units[unit] ?? ''}`;
}

/** `8.4 s`, `3:07 min`, `2:00:41 h`. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.floor(seconds);
  const two = (value: number): string => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60];
  return hours > 0
    ? `${String(hours)}:${two(minutes)}:${two(whole % 60)} h`
    : `${String(minutes)}:${two(whole % 60)} min`;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is a file',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};

/** Why a call on a file failed. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return (
    ('code' in error && typeof error.code === 'string' ? reasons[error.code] : undefined) ?? error.message
  );
}
