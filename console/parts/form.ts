/** A form: sent by its button or by Enter, busy while it is, with what went wrong below it. */
import { html, type Children } from './html.ts';
import { useAct } from './action.ts';
import { refused } from './states.ts';

interface FormProps {
  /** Of the button. */
  readonly label: string;
  /** Resolves with what is said when it is done. */
  readonly run: (given: FormData) => Promise<string | undefined>;
  readonly kind?: 'main' | 'danger';
  /** Beside the button. */
  readonly more?: Children;
  readonly isRow?: boolean;
  readonly children?: Children;
}

export function Form({ label, run, kind, more, isRow, children }: FormProps) {
  const { busy, said, refusal, act } = useAct(run);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    void act(new FormData(event.currentTarget as HTMLFormElement));
  };
  return html`<form onSubmit=${submit} class=${isRow === true ? 'row' : ''}>
    ${children}
    <p class="buttons">
      <button class=${kind ?? ''} disabled=${busy} aria-busy=${busy}>${label}</button>
      ${more}
      <span role="status">${said}</span>
    </p>
    ${refusal !== null && refused(refusal)}
  </form>`;
}

/** What was typed, without spaces at its ends; undefined: nothing. */
export const typed = (given: FormData, name: string): string | undefined => {
  const text = given.get(name);
  return typeof text !== 'string' || text.trim() === '' ? undefined : text.trim();
};

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: Children;
  readonly value?: string;
  readonly type?: string;
  readonly required?: boolean;
  readonly placeholder?: string;
  readonly maxLength?: number;
}

export const input = ({ label, hint, name, value, type = 'text', ...rest }: FieldProps) =>
  html`<label class="field"
    >${label}
    <input
      name=${name}
      type=${type}
      defaultValue=${value}
      aria-describedby=${hint === undefined ? undefined : `${name}-hint`}
      ...${rest}
    />
    ${hint !== undefined && html`<span class="hint" id=${`${name}-hint`}>${hint}</span>`}</label
  >`;

export const choice = (
  label: string,
  name: string,
  options: readonly (readonly [value: string, shown: string])[],
  value = '',
  change?: (value: string) => void,
) =>
  html`<label class="field"
    >${label}
    <select
      name=${name}
      onChange=${(event: Event) => change?.((event.currentTarget as HTMLSelectElement).value)}
    >
      ${options.map(([code, shown]) => html`<option value=${code} selected=${code === value}>${shown}</option>`)}
    </select></label
  >`;
