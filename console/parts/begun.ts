/** A form keeps to what it began with while somebody types, also when others change the thing meanwhile. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { html, type Children } from './html.ts';

interface Begun<T> {
  readonly value: T;
  /** Of the form: another one begins anew. */
  readonly key: string;
  /** Said above the form when somebody else has made a change. */
  readonly said: Children;
  /** The change is our own: the form begins anew with what comes of it. */
  readonly done: () => void;
}

/** @param version of what is there now */
export function useBegun<T>(now: T, version: string): Begun<T> {
  const [begun, setBegun] = useState({ value: now, version });
  const isOwn = useRef(false);
  const begin = (): void => {
    isOwn.current = false;
    setBegun({ value: now, version });
  };
  useEffect(() => {
    if (isOwn.current) begin();
  }, [version]);
  const done = (): void => {
    isOwn.current = true;
  };
  const said =
    begun.version !== version &&
    html`<p class="notice bad" role="status">
      Somebody has changed this since the form was opened.${' '}
      <button type="button" onClick=${begin}>Begin anew with what holds now</button>
    </p>`;
  return { value: begun.value, key: begun.version, said, done };
}
