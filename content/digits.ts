/** Digits of all scripts as those of ASCII. */
export const asciiDigits = (text: string): string => text.replace(/[^\P{Nd}0-9]/gu, digitOf);

/** Unicode has the digits of a script in one run from 0 to 9, and runs that touch begin at tens. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let first = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first--;
  return String((code - first) % 10);
}
