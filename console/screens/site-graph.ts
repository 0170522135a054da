import { useEffect, useRef, useState } from 'preact/hooks';
import { Refusal } from '../api/client.ts';
import { Drawing } from '../graph/drawing.ts';
import { readGraph, type Graph, type Node } from '../graph/site.ts';
import { html } from '../parts/html.ts';
import { counted, number, part } from '../parts/shown.ts';
import { nothing, refused } from '../parts/states.ts';
import { Table, type Column } from '../parts/table.ts';
import { query, setQuery } from '../router.ts';

const listedNodes = 100;

export function SiteGraph({ crawl }: { readonly crawl: string }) {
  const host = query.value.get('host');
  const [graph, setGraph] = useState<Graph | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [pointed, setPointed] = useState<string | null>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawing = useRef<Drawing | null>(null);
  useEffect(() => {
    if (canvas.current === null) return undefined;
    const made = new Drawing(canvas.current, setPointed);
    drawing.current = made;
    return () => {
      made.close();
    };
  }, []);
  useEffect(() => {
    const ended = new AbortController();
    setGraph(null);
    const tell = (found: Graph): void => {
      setGraph(found);
      drawing.current?.show(found);
    };
    readGraph(part(crawl), host, tell, ended.signal).catch((error: unknown) => {
      if (ended.signal.aborted) return;
      setRefusal(
        error instanceof Refusal
          ? error
          : new Refusal(0, { title: 'An error of this page', detail: String(error) }),
      );
    });
    return () => {
      ended.abort();
    };
  }, [crawl, host]);
  const open = (name: string) => () => {
    setQuery({ host: name });
  };
  const columns: readonly Column<Node>[] = [
    {
      name: host === null ? 'Host' : 'Folder',
      show: ({ name }) =>
        host === null
          ? html`<button type="button" class="plain link" onClick=${open(name)}>${name}</button>`
          : name,
      by: ({ name }) => name,
    },
    { name: 'Pages', show: ({ pages }) => number(pages), by: ({ pages }) => pages, isNumber: true },
    {
      name: 'Links to it',
      show: ({ linksIn }) => number(linksIn),
      by: ({ linksIn }) => linksIn,
      isNumber: true,
    },
  ];
  return html`<h2>
      ${host === null ? 'Hosts, by the links between them' : `Folders of ${host}, by the links between them`}
    </h2>
    ${refusal !== null && refused(refusal)}
    <p class="buttons">
      ${
        host !== null &&
        html`<button
          type="button"
          onClick=${() => {
            setQuery({ host: null });
          }}
        >
          All hosts
        </button>`
      }
      <button type="button" onClick=${() => drawing.current?.zoom(1.3)}>Closer</button>
      <button type="button" onClick=${() => drawing.current?.zoom(1 / 1.3)}>Farther</button>
      <button type="button" onClick=${() => drawing.current?.fit()}>All of it</button>
      <span role="status">${pointed ?? told(graph)}</span>
    </p>
    <canvas
      ref=${canvas}
      class="graph"
      tabindex="0"
      role="img"
      aria-label="Picture of the graph; the table below says the same. Arrows move it, plus and minus zoom."
    ></canvas>
    ${graph !== null && graph.nodes.length === 0 && nothing('No page has been read yet.')}
    ${graph !== null && graph.nodes.length > 0 && html`<${Table} caption="The largest nodes" columns=${columns} rows=${graph.nodes.slice(0, listedNodes)} keyOf=${({ name }: Node) => name} />`}`;
}

function told(graph: Graph | null): string {
  if (graph === null) return 'Reading the links …';
  const { nodes, pages, isWhole, leftOut } = graph;
  const of = isWhole ? `all ${counted(pages, 'page')}` : `the first ${counted(pages, 'page')}`;
  return `${counted(nodes.length, 'node')} from ${of}${leftOut > 0 ? `; ${number(leftOut)} with few links are left out` : ''}`;
}
