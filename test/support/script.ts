/**
 * The command line of a script that npm runs (`npm run bench -- peers --runs 1`): `--help`, defaults, and bad input told in
 * one sentence with exit code 2, since 1 says that a target was missed.
 */
import { Command, InvalidArgumentError } from 'commander';

/** Reads an option's text. */
type Reader<Value> = (text: string) => Value;

/** @param name in package.json, or one of its benches as `bench -- NAME`. @param about what the script does, for its help */
export const script = (name: string, about: string): Command =>
  new Command(`npm run ${name}${name.includes(' -- ') ? '' : ' --'}`)
    .description(about)
    .exitOverride(({ exitCode }) => {
      process.exit(exitCode === 0 ? 0 : 2);
    });

export const number =
  (least: number, most = Infinity): Reader<number> =>
  (text) => {
    const value = Number(text);
    if (text.trim() !== '' && value >= least && value <= most) return value;
    const upTo = most === Infinity ? ' or more' : ` to ${String(most)}`;
    throw new InvalidArgumentError(`It is a number, ${String(least)}${upTo}.`);
  };

/** A whole number, 1 or more unless said otherwise. */
export const whole = (least = 1, most = Infinity): Reader<number> => {
  const read = number(least, most);
  return (text) => {
    const value = read(text);
    if (Number.isInteger(value)) return value;
    throw new InvalidArgumentError('It is a whole number.');
  };
};

export const oneOf =
  <Name extends string>(names: readonly Name[]): Reader<Name> =>
  (text) => {
    const name = names.find((known) => known === text);
    if (name !== undefined) return name;
    throw new InvalidArgumentError(`There is no ${text}; there are ${names.join(', ')}.`);
  };

/** Values separated by commas. */
export const list =
  <Value>(read: Reader<Value>): Reader<readonly Value[]> =>
  (text) =>
    text.split(',').map(read);
