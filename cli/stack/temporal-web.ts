/** Addresses in Temporal Web; null if Temporal is not ours, since nobody can say where its pages are. */
import type { StackInfo } from '../../stack/info.ts';

type Web = Pick<StackInfo, 'temporalUiUrl' | 'temporalNamespace'>;

/** The address of a workflow's page, by the workflow's id. */
export function workflowPages({ temporalUiUrl, temporalNamespace }: Web): ((id: string) => string) | null {
  if (temporalUiUrl === null) return null;
  return (id) => `${temporalUiUrl}/namespaces/${temporalNamespace}/workflows/${encodeURIComponent(id)}`;
}

/** The address of the list of running workflows: the closed ones, mostly schedulers, are many more. */
export function runningWorkflows({ temporalUiUrl, temporalNamespace }: Web): string | null {
  if (temporalUiUrl === null) return null;
  const query = encodeURIComponent('ExecutionStatus="Running"');
  return `${temporalUiUrl}/namespaces/${temporalNamespace}/workflows?query=${query}`;
}
