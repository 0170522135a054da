import { useState } from 'preact/hooks';
import { ask, Refusal, session } from '../api/client.ts';
import type { SignedIn } from '../../contracts/http/console.ts';
import { html } from '../parts/html.ts';
import { refused } from '../parts/states.ts';

export function SignIn() {
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  document.title = 'Sign in – Orbweaver';
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const key = new FormData(event.currentTarget as HTMLFormElement).get('key');
    try {
      session.value = await ask<SignedIn>('/v1/console-session', { method: 'POST', body: { key } });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      setRefusal(error);
    }
  };
  return html`<main class="sign-in" id="main">
    <h1 tabindex="-1">Orbweaver</h1>
    <form onSubmit=${submit}>
      <label
        >API key or token
        <input name="key" type="password" required autocomplete="current-password" autofocus
      /></label>
      <button class="main">Sign in</button>
    </form>
    ${refusal !== null && refused(refusal)}
    <p class="dim">
      On the machine of the stack, <code>./orbweaver console</code> prints a link that signs in once.
    </p>
  </main>`;
}
