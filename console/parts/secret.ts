/** A secret that is shown once. */
import { Action } from './action.ts';
import { html } from './html.ts';

interface SecretProps {
  /** Such as `The new key`. */
  readonly what: string;
  readonly value: string;
  readonly done: () => void;
}

export function Secret({ what, value, done }: SecretProps) {
  const copy = async (): Promise<string> => {
    await navigator.clipboard.writeText(value);
    return 'Copied.';
  };
  return html`<div class="notice" role="status">
    <strong>${what}</strong>
    <p>It is shown only now, and stored nowhere: copy it to where it is needed.</p>
    <p><code>${value}</code></p>
    <p class="buttons">
      <${Action} label="Copy" kind="main" run=${copy} />
      <button type="button" onClick=${done}>I have it</button>
    </p>
  </div>`;
}
