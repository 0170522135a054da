/** Buttons that change something: busy while they do, with what went wrong beside them, asking first where it matters. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Refusal } from '../api/client.ts';
import { html, type Children } from './html.ts';
import { refused } from './states.ts';

interface ActionProps {
  readonly label: string;
  /** Resolves with what is said when it is done. */
  readonly run: () => Promise<string | undefined>;
  /** What is asked first; absent: nothing. */
  readonly confirm?: Children;
  readonly kind?: 'main' | 'danger';
  readonly disabled?: boolean;
  readonly title?: string;
}

/** Something that is asked of the API by a press: whether it is under way, and how it ended. */
export function useAct<A extends readonly unknown[]>(run: (...given: A) => Promise<string | undefined>) {
  const [busy, setBusy] = useState(false);
  const [said, setSaid] = useState<string | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const act = async (...given: A): Promise<void> => {
    setBusy(true);
    setSaid(null);
    setRefusal(null);
    try {
      setSaid((await run(...given)) ?? null);
    } catch (error) {
      setRefusal(
        error instanceof Refusal
          ? error
          : new Refusal(0, { title: 'An error of this page', detail: String(error) }),
      );
    } finally {
      setBusy(false);
    }
  };
  return { busy, said, refusal, act };
}

export function Action({ label, run, confirm, kind, disabled, title }: ActionProps) {
  const [asking, setAsking] = useState(false);
  const { busy, said, refusal, act } = useAct(run);
  const click = (): void => {
    if (confirm === undefined) void act();
    else setAsking(true);
  };
  return html`<span class="action">
    <button
      type="button"
      class=${kind ?? ''}
      disabled=${busy || disabled === true}
      aria-busy=${busy}
      title=${title}
      onClick=${click}
    >
      ${label}
    </button>
    <span role="status">${said}</span>
    ${refusal !== null && refused(refusal)}
    ${
      asking &&
      html`<${Dialog}
        title=${label}
        close=${() => {
          setAsking(false);
        }}
      >
        <div>${confirm}</div>
        <p class="buttons">
          <button
            type="button"
            class=${kind ?? 'main'}
            onClick=${() => {
              setAsking(false);
              void act();
            }}
          >
            ${label}
          </button>
          <button
            type="button"
            onClick=${() => {
              setAsking(false);
            }}
          >
            Leave it
          </button>
        </p>
      <//>`
    }
  </span>`;
}

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  readonly children?: Children;
}

/** Above everything else until it is closed; Escape closes it. */
export function Dialog({ title, close, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    ref.current?.showModal();
  }, []);
  return html`<dialog ref=${ref} aria-label=${title} onClose=${close}>
    <h2>${title}</h2>
    ${children}
  </dialog>`;
}
