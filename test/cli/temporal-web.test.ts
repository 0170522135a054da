/** Which page of Temporal Web an address that is printed opens. */
import { describe, expect, it } from 'vitest';
import { runningWorkflows, workflowPages } from '../../cli/stack/temporal-web.ts';

const ours = { temporalUiUrl: 'http://127.0.0.1:8233', temporalNamespace: 'default' };
const others = { ...ours, temporalUiUrl: null };

describe('addresses in Temporal Web', () => {
  it('of workflows: those that run, as its own search puts them', () => {
    expect(runningWorkflows(ours)).toBe(
      'http://127.0.0.1:8233/namespaces/default/workflows?query=ExecutionStatus%3D%22Running%22',
    );
    expect(runningWorkflows(others)).toBeNull();
  });

  it('of one workflow', () => {
    expect(workflowPages(ours)?.('host/https://a.example')).toBe(
      'http://127.0.0.1:8233/namespaces/default/workflows/host%2Fhttps%3A%2F%2Fa.example',
    );
    expect(workflowPages(others)).toBeNull();
  });
});
