/** What is shown while something loads, where there is nothing, and where it was refused. */
import type { Refusal } from '../api/client.ts';
import type { Loading, List } from '../api/loading.ts';
import { html, type Children } from './html.ts';

const refusals: Readonly<Record<number, string>> = {
  403: 'Your key may not see this',
  404: 'There is no such thing',
  412: 'Somebody else has changed this meanwhile',
  0: 'The API does not answer',
};

/** @param again absent: it is not worth another try */
export function refused(refusal: Refusal, again?: () => void) {
  const { problem, status } = refusal;
  const errors = problem.errors ?? [];
  return html`<div class="notice bad" role="alert">
    <strong>${refusals[status] ?? problem.title ?? 'Refused'}</strong>
    <p>
      ${status === 412 ? 'So nothing was done. Look at how it is now, and say again what you want of it.' : problem.detail}
    </p>
    ${
      errors.length > 1 &&
      html`<ul>
        ${errors.map(({ path, message }) => html`<li><code>${path}</code> ${message}</li>`)}
      </ul>`
    }
    ${problem.requestId !== undefined && html`<p class="dim">Request ${problem.requestId}</p>`}
    ${again !== undefined && ![403, 404, 412].includes(status) && html`<button type="button" onClick=${again}>Try again</button>`}
  </div>`;
}

export const nothing = (text: string) => html`<p class="nothing">${text}</p>`;

/** What has come, with what went wrong since above it. */
export function loaded<T>({ value, refusal, again }: Loading<T>, show: (value: T) => Children): Children {
  if (value === undefined)
    return refusal === null
      ? html`<p class="loading" aria-busy="true">Loading …</p>`
      : refused(refusal, again);
  return html`${refusal !== null && refusal.status !== 0 && refused(refusal, again)}${show(value)}`;
}

/** @param empty what is said of a list without entries */
export function listed<T>(
  list: List<T, unknown>,
  empty: string,
  show: (items: readonly T[]) => Children,
): Children {
  return loaded(list, (items) => {
    if (items.length === 0 && list.more === null)
      return list.isReading ? html`<p class="loading">Loading …</p>` : nothing(empty);
    return html`${items.length > 0 && show(items)}
      <p class="more" aria-live="polite">
        ${list.more !== null && html`<button type="button" onClick=${list.more}>Show more</button>`}
        ${list.isReading && 'Loading …'}
      </p>`;
  });
}
