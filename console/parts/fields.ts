/** Fields of a form by the list of the API: what people type, and the value that it stands for. */
import type { Field } from '../api/schemas.ts';
import type { Refusal } from '../api/client.ts';
import { html } from './html.ts';
import { refused } from './states.ts';

/** What stands in the fields, by name; absent and empty: nothing is said. */
export type Texts = Readonly<Record<string, string>>;

export function textOf({ kind }: Field, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (kind === 'lines' && Array.isArray(value)) return value.join('\n');
  return typeof value === 'string' && kind !== 'json' ? value : JSON.stringify(value, null, 2);
}

type Read = { readonly value: unknown } | { readonly problem: string };

/** @param text not empty */
function valueOf({ kind }: Field, text: string): Read {
  switch (kind) {
    case 'text':
    case 'choice':
      return { value: text };
    case 'yes-no':
      return { value: text === 'true' };
    case 'whole':
    case 'number': {
      const value = Number(text);
      return Number.isFinite(value) ? { value } : { problem: 'not a number' };
    }
    case 'lines':
      return { value: text.split('\n').map((line) => line.trim()).filter((line) => line !== '') }; // prettier-ignore
    case 'json':
      try {
        return { value: JSON.parse(text) as unknown };
      } catch (error) {
        return { problem: `not valid JSON: ${error instanceof Error ? error.message : ''}` };
      }
  }
}

/** What an emptied field stands for. */
const emptied = (field: Field): Read =>
  field.isNullable
    ? { value: null }
    : field.kind === 'lines'
      ? { value: [] }
      : field.standard === undefined
        ? { problem: 'give a value' }
        : { value: field.standard };

export interface Given {
  readonly body: Readonly<Record<string, unknown>>;
  readonly problems: Texts;
}

/** @param before what stood there; what still does is not sent */
export function bodyOf(fields: readonly Field[], texts: Texts, before: Texts = {}): Given {
  const body: Record<string, unknown> = {};
  const problems: Record<string, string> = {};
  for (const field of fields) {
    const text = texts[field.name] ?? '';
    const was = before[field.name] ?? '';
    if (text === was) continue;
    const read = text.trim() === '' ? emptied(field) : valueOf(field, text);
    if ('problem' in read) problems[field.name] = read.problem;
    else body[field.name] = read.value;
  }
  return { body, problems };
}

/** What the API says of fields (RFC 9457); what it says of no field of these stays with its answer. */
export function problemsOf(refusal: Refusal | null, fields: readonly Field[]): Texts {
  const problems: Record<string, string> = {};
  for (const { path, message } of refusal?.problem.errors ?? []) {
    const [name = '', ...within] = path.split('.');
    if (fields.some((field) => field.name === name))
      problems[name] ??= within.length === 0 ? message : `${within.join('.')}: ${message}`;
  }
  return problems;
}

/** What no field shows. */
export const remaining = (refusal: Refusal | null, atFields: Texts) =>
  refusal !== null && Object.keys(atFields).length === 0 && refused(refusal);

interface FieldsProps {
  readonly fields: readonly Field[];
  readonly texts: Texts;
  readonly problems: Texts;
  readonly change: (name: string, text: string) => void;
  /** Every choice has been made, and none can be taken back. */
  readonly isWhole?: boolean;
}

export function Fields({ fields, texts, problems, change, isWhole = false }: FieldsProps) {
  return html`<div class="fields">
    ${fields.map((field) => {
      const { name, standard } = field;
      const problem = problems[name];
      const hint = [described(field), (standard ?? null) === null ? '' : `Default: ${shown(standard)}.`].filter(Boolean); // prettier-ignore
      return html`<div class="field" key=${name}>
        <label for=${`f-${name}`}
          >${name}${field.isRequired && html` <span class="dim">(needed)</span>`}</label
        >
        ${control(field, texts[name] ?? '', problem !== undefined, change, isWhole)}
        ${problem !== undefined && html`<p class="problem" id=${`p-${name}`} role="alert">${problem}</p>`}
        <p class="hint" id=${`h-${name}`}>${hint.join(' ')}</p>
      </div>`;
    })}
  </div>`;
}

/** As the API says it, where null is what an empty field stands for. */
const described = ({ description, isNullable }: Field): string =>
  isNullable ? description.replaceAll('null:', 'empty:').replaceAll('Null:', 'Empty:') : description;

const shown = (value: unknown): string =>
  value === true
    ? 'yes'
    : value === false
      ? 'no'
      : typeof value === 'object'
        ? Object.keys(value ?? {}).length === 0
          ? 'nothing'
          : JSON.stringify(value)
        : typeof value === 'string'
          ? value
          : JSON.stringify(value);

function control(
  field: Field,
  text: string,
  isWrong: boolean,
  change: FieldsProps['change'],
  isWhole: boolean,
) {
  const { name, kind, choices, least, most, longest, example } = field;
  const say = (event: Event): void => {
    change(name, (event.currentTarget as HTMLInputElement).value);
  };
  const common = {
    id: `f-${name}`,
    name,
    onInput: say,
    'aria-invalid': isWrong,
    'aria-describedby': `${isWrong ? `p-${name} ` : ''}h-${name}`,
  };
  const options =
    kind === 'yes-no' ? [['true', 'yes'], ['false', 'no']] : choices.map((each) => [each, each]); // prettier-ignore
  if (kind === 'yes-no' || kind === 'choice')
    return html`<select ...${common}>
      ${[...(isWhole && text !== '' ? [] : [['', 'default']]), ...options].map(([code, label]) => html`<option value=${code} selected=${code === text}>${label}</option>`)}
    </select>`;
  if (kind === 'whole' || kind === 'number')
    return html`<input
      ...${common}
      type="number"
      min=${least}
      max=${most}
      step=${kind === 'whole' ? 1 : 'any'}
      value=${text}
    />`;
  if (kind === 'text')
    return html`<input
      ...${common}
      type="text"
      maxlength=${longest}
      value=${text}
      placeholder=${typeof example === 'string' ? example : undefined}
    />`;
  const sample = kind === 'json' ? JSON.stringify(example) : Array.isArray(example) ? example.join('\n') : '';
  return html`<textarea
      ...${common}
      class=${kind === 'json' ? 'mono' : ''}
      rows=${name === 'seeds' ? 5 : Math.min(10, Math.max(2, text.split('\n').length))}
      spellcheck="false"
      placeholder=${sample}
      value=${text}
    />
    <p class="hint">${kind === 'json' ? 'As JSON.' : `One a line${choices.length > 0 ? `: ${choices.join(', ')}` : ''}.`}</p>`;
}
