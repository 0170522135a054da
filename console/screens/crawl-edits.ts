/** The settings of a crawl: edited after a look at what an edit would do, and taken back. */
import { useState } from 'preact/hooks';
import type { CrawlView } from '../../contracts/http/crawls.ts';
import type { ConfigVersion, EditPreview } from '../../contracts/http/edits.ts';
import type { RuleTrial } from '../../contracts/http/rule-trial.ts';
import { ask, post } from '../api/client.ts';
import { useList } from '../api/loading.ts';
import { useFields, type Field } from '../api/schemas.ts';
import { Action, useAct } from '../parts/action.ts';
import { useBegun } from '../parts/begun.ts';
import { SettingFields } from '../parts/crawl-fields.ts';
import { bodyOf, problemsOf, remaining, textOf, type Texts } from '../parts/fields.ts';
import { html } from '../parts/html.ts';
import { instant, number, words } from '../parts/shown.ts';
import { listed, loaded } from '../parts/states.ts';
import { Table, type Column } from '../parts/table.ts';
import { TryRules, type Trial } from '../parts/try-rules.ts';
import { editPreview } from './edit-preview.ts';

interface Props {
  /** Of the crawl in the API. */
  readonly path: string;
  readonly crawl: CrawlView;
  readonly again: () => void;
}

const first = ['maxPages', 'maxDepth', 'scope', 'include', 'exclude', 'delaySeconds', 'render'];

export function CrawlEdits({ path, crawl, again }: Props) {
  const fields = useFields('CrawlEdit');
  const { configVersion: version } = crawl;
  const { value: seen, key, said, done } = useBegun(crawl, String(version));
  const changed = (): void => {
    done();
    again();
  };
  return html`<section aria-labelledby="settings">
      <h2 id="settings">Settings, version ${version}</h2>
      ${said}
      ${loaded(fields, (all) => html`<${Edit} key=${key} path=${path} seen=${seen} fields=${all.filter(({ name }) => name !== 'note' && name !== 'mayEnd')} done=${changed} />`)}
    </section>
    <section aria-labelledby="versions">
      <h2 id="versions">Versions</h2>
      <${Versions} key=${version} path=${path} seen=${crawl} done=${changed} />
    </section>`;
}

interface VersionsProps {
  readonly path: string;
  /** The crawl as whoever makes a change has it before them. */
  readonly seen: CrawlView;
  readonly done: () => void;
}

interface EditProps extends VersionsProps {
  readonly fields: readonly Field[];
}

function Edit({ path, seen, fields, done }: EditProps) {
  const config: Readonly<Record<string, unknown>> = seen.config;
  const before: Texts = Object.fromEntries(
    fields.map((field) => [field.name, textOf(field, config[field.name])]),
  );
  const [texts, setTexts] = useState(before);
  const [note, setNote] = useState('');
  const [preview, setPreview] = useState<EditPreview | null>(null);
  const given = bodyOf(fields, texts, before);
  const changed = Object.keys(given.body);
  const body = { ...given.body, ...(note.trim() !== '' && { note }) };
  const { busy, refusal, act } = useAct(async () => {
    setPreview(null);
    setPreview(await ask<EditPreview>(`${path}?dryRun=true`, { method: 'PATCH', body }));
    return undefined;
  });
  const apply = async (): Promise<string> => {
    await ask(path, {
      method: 'PATCH',
      seen,
      body: { ...body, ...(preview?.ends !== null && { mayEnd: true }) },
    });
    done();
    return 'The edit is being applied.';
  };
  const problems = { ...problemsOf(refusal, fields), ...given.problems };
  const trial = async (url: string): Promise<Trial | string> => {
    const wrong = given.problems['rules'];
    const { rules } = given.body;
    return wrong === undefined
      ? post<RuleTrial>(`${path}/rule-trial`, { url, ...(rules !== undefined && { rules }) })
      : `The rules are ${wrong}.`;
  };
  return html`<form
      novalidate
      onSubmit=${(event: SubmitEvent) => {
        event.preventDefault();
        void act();
      }}
    >
      <${SettingFields}
        fields=${fields}
        first=${first}
        texts=${texts}
        problems=${problems}
        isWhole
        change=${(name: string, text: string) => {
          setPreview(null);
          setTexts((was) => ({ ...was, [name]: text }));
        }}
      />
      <label class="field">
        Why (it is shown with the version)
        <input
          maxlength="500"
          value=${note}
          onInput=${(event: Event) => {
            setNote((event.currentTarget as HTMLInputElement).value);
          }}
        />
      </label>
      <p class="buttons">
        <button
          class="main"
          disabled=${busy || changed.length === 0 || Object.keys(given.problems).length > 0}
          aria-busy=${busy}
        >
          See what it would do
        </button>
        <span class="dim"
          >${changed.length === 0 ? 'Nothing is changed yet.' : `Changed: ${changed.join(', ')}`}</span
        >
      </p>
      ${remaining(refusal, problems)} ${preview !== null && editPreview(preview, 'Apply', apply)}
    </form>
    <${TryRules} hint="On a page that this crawl has stored; nothing is requested." url="" run=${trial} />`;
}

function Versions({ path, seen, done }: VersionsProps) {
  const versions = useList<ConfigVersion>(`${path}/versions?limit=20`);
  const [back, setBack] = useState<{ readonly to: number; readonly preview: EditPreview } | null>(null);
  const restore = (to: number) => `${path}/versions/${String(to)}/restore`;
  const look = (to: number) => async (): Promise<undefined> => {
    setBack({ to, preview: await ask(`${restore(to)}?dryRun=true`, { method: 'POST', body: {} }) });
  };
  const apply = async (): Promise<string> => {
    if (back === null) return '';
    const body = back.preview.ends === null ? {} : { mayEnd: true };
    await ask(restore(back.to), { method: 'POST', body, seen });
    done();
    return 'The settings are being restored.';
  };
  const columns: readonly Column<ConfigVersion>[] = [
    { name: 'Version', show: (row) => number(row.version) },
    {
      name: 'Made',
      show: ({ createdAt, author }) => `${instant(createdAt)}${author === null ? '' : ` by ${author}`}`,
    },
    {
      name: 'Why',
      show: ({ note, restores }) =>
        `${restores === null ? '' : `Restores ${String(restores)}. `}${note ?? ''}`,
    },
    { name: 'Effect', show: ({ effect }) => effectOf(effect) },
    {
      name: 'Action',
      show: (row) =>
        row.version !== seen.configVersion &&
        html`<${Action} label=${`Go back to ${String(row.version)}`} run=${look(row.version)} />`,
    },
  ];
  return html`${listed(versions, 'There is no version.', (rows) => html`<${Table} caption="Versions of the settings, newest first" columns=${columns} rows=${rows} keyOf=${(row: ConfigVersion) => String(row.version)} />`)}
  ${back !== null && editPreview(back.preview, `Go back to version ${String(back.to)}`, apply)}`;
}

const effectOf = ({ state, excluded, readmitted, admitted }: ConfigVersion['effect']): string =>
  [
    words(state),
    excluded > 0 && `${number(excluded)} excluded`,
    readmitted > 0 && `${number(readmitted)} queued again`,
    admitted > 0 && `${number(admitted)} added`,
  ]
    .filter(Boolean)
    .join(', ');
