import { useState } from 'preact/hooks';
import type { HostChanged, HostView } from '../../contracts/hosts.ts';
import { ask } from '../api/client.ts';
import { useFields, type Field } from '../api/schemas.ts';
import { useAct } from '../parts/action.ts';
import { useBegun } from '../parts/begun.ts';
import { bodyOf, Fields, problemsOf, remaining, textOf, type Texts } from '../parts/fields.ts';
import { html } from '../parts/html.ts';
import { loaded } from '../parts/states.ts';

interface Props {
  /** Of the host in the API. */
  readonly path: string;
  readonly host: HostView;
  readonly done: () => void;
}

export function HostSettingsForm({ path, host, done }: Props) {
  const fields = useFields('HostSettingsChange');
  const { value: seen, key, said, done: begin } = useBegun(host, JSON.stringify(host.settings));
  const changed = (): void => {
    begin();
    done();
  };
  return loaded(
    fields,
    (list) => html`${said} <${Edit} key=${key} fields=${list} path=${path} host=${seen} done=${changed} />`,
  );
}

function Edit({ path, host, done, fields }: Props & { readonly fields: readonly Field[] }) {
  const settings: Readonly<Record<string, unknown>> = host.settings;
  const before: Texts = Object.fromEntries(
    fields.map((field) => [field.name, textOf(field, settings[field.name])]),
  );
  const [texts, setTexts] = useState<Texts>(before);
  const { body, problems } = bodyOf(fields, texts, before);
  const changed = Object.keys(body);
  const { busy, said, refusal, act } = useAct(async () => {
    const { woken } = await ask<HostChanged>(`${path}/settings`, { method: 'PATCH', body, seen: host });
    done();
    return woken ? 'It holds within a second.' : 'It holds once the workflow of the host wakes up.';
  });
  const atFields = { ...problemsOf(refusal, fields), ...problems };
  return html`<form
    onSubmit=${(event: SubmitEvent) => {
      event.preventDefault();
      void act();
    }}
  >
    <${Fields}
      fields=${fields}
      texts=${texts}
      problems=${atFields}
      change=${(name: string, text: string) => {
        setTexts((was) => ({ ...was, [name]: text }));
      }}
    />
    <p class="buttons">
      <button
        class="main"
        disabled=${busy || changed.length === 0 || Object.keys(problems).length > 0}
        aria-busy=${busy}
      >
        Save${changed.length === 0 ? '' : ` ${changed.join(', ')}`}
      </button>
      <span role="status">${said}</span>
    </p>
    ${remaining(refusal, atFields)}
  </form>`;
}
