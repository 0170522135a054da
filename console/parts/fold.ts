/** A part of a screen that is made, and asks for what it shows, once it is opened. */
import { useState } from 'preact/hooks';
import { html, type Children } from './html.ts';

interface FoldProps {
  readonly title: string;
  readonly show: () => Children;
  readonly isOpen?: boolean;
}

export function Fold({ title, show, isOpen = false }: FoldProps) {
  const [wasOpened, setOpened] = useState(isOpen);
  const toggle = (event: Event): void => {
    if ((event.currentTarget as HTMLDetailsElement).open) setOpened(true);
  };
  return html`<details class="fold" open=${isOpen} onToggle=${toggle}>
    <summary>${title}</summary>
    ${wasOpened && show()}
  </details>`;
}
