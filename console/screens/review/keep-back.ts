/** Puts a shape of URLs into quarantine, after a look at what it would keep back. */
import { useState } from 'preact/hooks';
import type { QuarantinePreview, QuarantineView } from '../../../contracts/http/quarantine.ts';
import { post } from '../../api/client.ts';
import { Action } from '../../parts/action.ts';
import { fieldsOf } from '../../parts/forms.ts';
import { html } from '../../parts/html.ts';
import { number } from '../../parts/shown.ts';
import { refused } from '../../parts/states.ts';
import { Table, type Column } from '../../parts/table.ts';
import { Refusal } from '../../api/client.ts';

type Effect = QuarantinePreview['shapes'][number];

interface KeepBackProps {
  /** Of the quarantine in the API. */
  readonly path: string;
  readonly done: () => void;
}

export function KeepBack({ path, done }: KeepBackProps) {
  const [preview, setPreview] = useState<QuarantinePreview | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [busy, setBusy] = useState(false);
  const look = async (event: Event): Promise<void> => {
    const url = fieldsOf(event)('url');
    setBusy(true);
    setRefusal(null);
    try {
      setPreview(await post<QuarantinePreview>(`${path}/preview`, { url }));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      setPreview(null);
      setRefusal(error);
    } finally {
      setBusy(false);
    }
  };
  const hold = (host: string, shape: string) => async (): Promise<string> => {
    await post<QuarantineView>(path, { host, shape });
    done();
    return 'It is in quarantine.';
  };
  return html`<section aria-labelledby="keep-back">
    <h2 id="keep-back">Keep back a shape of URLs</h2>
    <form onSubmit=${look}>
      <div class="row">
        <label class="wide"
          >A URL of the kind
          <input name="url" required maxlength="4096" placeholder="https://example.com/calendar/2031/7"
        /></label>
        <button disabled=${busy} aria-busy=${busy}>Show its shapes</button>
      </div>
    </form>
    ${refusal !== null && refused(refusal)}
    ${
      preview !== null &&
      html`<p>
          <bdi>${preview.host}</bdi> has ${number(preview.queued)} queued pages.
          ${!preview.complete && ' There are too many URLs to look at all of them: the numbers are from a part.'}
        </p>
        <${Table}
          caption="What each shape would keep back, the narrowest first"
          columns=${columnsOf(preview.host, hold)}
          rows=${preview.shapes}
          keyOf=${({ shape }: Effect) => shape}
        />`
    }
  </section>`;
}

const columnsOf = (
  host: string,
  hold: (host: string, shape: string) => () => Promise<string>,
): readonly Column<Effect>[] => [
  { name: 'Shape', show: ({ shape }) => html`<code>${shape}</code>` },
  { name: 'URLs met', show: ({ urls }) => number(urls), isNumber: true },
  { name: 'Queued', show: ({ queued }) => number(queued), isNumber: true },
  {
    name: 'Such as',
    show: ({ examples }) =>
      html`<ul class="lines">
        ${examples.slice(0, 3).map((url) => html`<li><bdi>${url}</bdi></li>`)}
      </ul>`,
  },
  {
    name: 'Do it',
    show: ({ shape, queued, everything }) =>
      everything
        ? 'It is all that is queued at the host.'
        : html`<${Action}
            label="Keep back"
            kind="danger"
            run=${hold(host, shape)}
            confirm=${`${number(queued)} queued URLs of ${host} are not fetched, and none of the shape that comes later is.`}
          />`,
  },
];
