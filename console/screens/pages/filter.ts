/** Which pages of a crawl are wanted. The choice is in the address, so that it can be kept and sent. */
import { useState } from 'preact/hooks';
import { Fold } from '../../parts/fold.ts';
import { asOrigin, fieldsOf, instantOf, localTime } from '../../parts/forms.ts';
import { html } from '../../parts/html.ts';
import { query, setQuery } from '../../router.ts';
import { chosenColumns, columnNames, columnsInQuery, columnTitle } from './columns.ts';

/** Filters of every list of pages, by the names that the API gives them. */
const ofPages = ['host', 'status', 'contentType', 'since'] as const;
/** Those that a search alone has. */
const ofSearches = ['language', 'until'] as const;

type Filter = Readonly<Partial<Record<string, string>>>;

const fromAddress = (names: readonly string[]): Filter =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = query.value.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );

export const pageFilter = (): Filter => fromAddress(ofPages);
export const searchFilter = (): Filter => fromAddress([...ofPages, ...ofSearches]);

export function FilterForm() {
  const [cleared, setCleared] = useState(0);
  const at = query.value;
  const submit = (event: Event): void => {
    const field = fieldsOf(event);
    setQuery({
      q: field('q'),
      host: asOrigin(field('host')),
      status: field('status'),
      contentType: field('contentType'),
      language: field('language'),
      since: instantOf(field('since')),
      until: instantOf(field('until')),
    });
  };
  const clear = (): void => {
    setQuery(Object.fromEntries(['q', ...ofPages, ...ofSearches].map((name) => [name, null])));
    setCleared((before) => before + 1);
  };
  const input = (name: string, label: string, more: object = {}) =>
    html`<label>${label} <input name=${name} defaultValue=${at.get(name) ?? ''} ...${more} /></label>`;
  return html`<form key=${cleared} class="filter" role="search" aria-label="Pages" onSubmit=${submit}>
    ${input('q', 'Words in the text', { type: 'search', maxlength: 500, placeholder: 'spider "polite crawler" -ant' })}
    <div class="row">
      ${input('host', 'Host', { placeholder: 'https://example.com', maxlength: 1000 })}
      ${input('status', 'Status', { placeholder: '404 or 4xx', pattern: '[1-9]([0-9]{2}|[xX]{2})', size: 8 })}
      ${input('contentType', 'Type', { placeholder: 'text/html or image/*', maxlength: 200 })}
      ${input('since', 'Fetched since', { type: 'datetime-local', defaultValue: localTime(at.get('since')) })}
      ${input('until', 'and before (with words)', { type: 'datetime-local', defaultValue: localTime(at.get('until')) })}
      ${input('language', 'Language (with words)', { placeholder: 'en', pattern: '[a-z]{2,3}', size: 8 })}
    </div>
    <p class="buttons">
      <button class="main">Show</button>
      <button type="button" onClick=${clear}>Clear</button>
    </p>
  </form>`;
}

export function ColumnChoice() {
  const chosen = chosenColumns(query.value.get('columns'));
  const choose = (event: Event): void => {
    const { name, checked } = event.currentTarget as HTMLInputElement;
    setQuery({
      columns: columnsInQuery(
        columnNames.filter((each) => (each === name ? checked : chosen.includes(each))),
      ),
    });
  };
  return html`<${Fold}
    title="Columns"
    show=${() =>
      html`<fieldset class="checks">
        <legend class="unseen">Columns of the table</legend>
        ${columnNames.map(
          (name) =>
            html`<label
              ><input
                type="checkbox"
                name=${name}
                checked=${chosen.includes(name)}
                disabled=${chosen.length === 1 && chosen[0] === name}
                onChange=${choose}
              />
              ${columnTitle(name)}</label
            >`,
        )}
      </fieldset>`}
  />`;
}
