/** The settings of a crawl as fields: the usual ones first, the others by what they belong to, found by words. */
import { useState } from 'preact/hooks';
import type { Field } from '../api/schemas.ts';
import { Fields, type Texts } from './fields.ts';
import { html } from './html.ts';

const families: Readonly<Record<string, string>> = {
  what: 'What is crawled',
  limits: 'Limits, and when the crawl ends',
  pace: 'Pace and politeness',
  order: 'What comes first',
  content: 'Content',
  instance: 'Instance',
};

interface Props {
  readonly fields: readonly Field[];
  /** Names of those that are shown before the others. */
  readonly first: readonly string[];
  readonly texts: Texts;
  readonly problems: Texts;
  readonly change: (name: string, text: string) => void;
  readonly isWhole?: boolean;
}

export function SettingFields({ fields, first, ...rest }: Props) {
  const [wanted, setWanted] = useState('');
  const shown = (list: readonly Field[]) => html`<${Fields} fields=${list} ...${rest} />`;
  const usual = first.flatMap((name) => fields.find((field) => field.name === name) ?? []);
  const others = fields.filter(({ name }) => !first.includes(name));
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({ name, description }: Field): boolean => {
    const text = `${name} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const isWrong = ({ name }: Field): boolean => rest.problems[name] !== undefined;
  return html`${shown(usual)}
    <h2>All settings</h2>
    <label class="field">
      Find a setting
      <input
        type="search"
        value=${wanted}
        onInput=${(event: Event) => {
          setWanted((event.currentTarget as HTMLInputElement).value);
        }}
        onKeyDown=${(event: KeyboardEvent) => {
          if (event.key === 'Enter') event.preventDefault();
        }}
      />
    </label>
    ${Object.entries(families).map(([family, title]) => {
      const list = others.filter(
        (field) => (field.family ?? 'instance') === family && (fits(field) || isWrong(field)),
      );
      const set = list.filter(({ name }) => (rest.texts[name] ?? '') !== '').length;
      return (
        list.length > 0 &&
        html`<details key=${family} open=${words.length > 0 || list.some(isWrong)}>
          <summary>${title}${set > 0 && rest.isWhole !== true && ` (${String(set)} set)`}</summary>
          ${shown(list)}
        </details>`
      );
    })}`;
}
