/** Temporal Web as an operator uses it: in a browser, by its buttons (written for Temporal UI 2.42). */
import { existsSync } from 'node:fs';
import { chromium, type Locator, type Page } from 'playwright-core';
import { until } from './until.ts';

const executablePath = '/usr/bin/chromium';
export const hasChromium = (): boolean => existsSync(executablePath);

export const chromiumOptions = {
  executablePath,
  // Root cannot use the sandbox; no request goes anywhere but to the loopback server.
  args: [
    ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
    ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
  ],
  timeout: 60_000,
};

/** Tabs of a workflow's page, by the name in their test id. */
type Tab = 'queries' | 'user-metadata' | 'search-attributes';

export interface TemporalWeb {
  readonly page: Page;
  /** What the workflow list shows for a query: the text of each row. */
  list(query: string): Promise<string[]>;
  /** Puts search attributes into the list as columns, in the place of others. */
  chooseColumns(add: readonly string[], remove: readonly string[]): Promise<void>;
  /** Opens a workflow's page, to which the methods below refer. */
  open(workflowId: string): Promise<void>;
  searchAttributes(): Promise<string>;
  /** The details as the page renders them from Markdown. */
  currentDetails(): Promise<string>;
  /** Attempts, last failures and next times of what is under way; as much of it as there is now. */
  pendingActivities(): Promise<string>;
  /** The answer of the workflow's one query, as JSON text. */
  queryState(): Promise<string>;
  /** Resolves when Temporal Web says that it was sent. @param input JSON text */
  signal(name: string, input?: string): Promise<void>;
  /** Resolves when Temporal Web says that the workflow has answered. @param input JSON text */
  update(name: string, input?: string): Promise<void>;
  /** Opens a schedule's page, and presses its buttons. */
  openSchedule(scheduleId: string): Promise<ScheduleDesk>;
  close(): Promise<void>;
}

/** The buttons of a schedule. Each resolves when its dialog is gone. */
export interface ScheduleDesk {
  /** Pauses it, or ends its pause. */
  turn(to: 'Pause' | 'Unpause', reason: string): Promise<void>;
  trigger(): Promise<void>;
  /** Makes up for the hour that the dialog proposes. */
  backfill(): Promise<void>;
}

/** Milliseconds for which a dialog may work before its button is pressed again. */
const confirmMs = 20_000;

/** Confirms a dialog, and waits until it is gone. A click is lost when it comes while the page is rendered anew. */
async function confirm(dialog: Locator): Promise<void> {
  for (let tries = 1; ; tries++) {
    await dialog.getByTestId('confirm-modal-button').click();
    try {
      await dialog.waitFor({ state: 'hidden', timeout: confirmMs });
      return;
    } catch (error) {
      if (tries === 5) throw new Error(`the dialog stays: ${await dialog.innerText()}`, { cause: error });
    }
  }
}

export async function openTemporalWeb(uiUrl: string, namespace: string): Promise<TemporalWeb> {
  const browser = await chromium.launch(chromiumOptions);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(120_000);
  const workflows = `${uiUrl}/namespaces/${namespace}/workflows`;

  const show = async (tab: Tab): Promise<void> => {
    await page.getByTestId(`${tab}-tab`).click();
    await page.waitForURL(`**/${tab === 'queries' ? 'query' : tab}`);
  };
  /** Types into the editor of a form. */
  const type = async (form: Locator, input: string): Promise<void> => {
    await form.locator('.cm-content').click();
    await page.keyboard.insertText(input);
  };
  const send = async (kind: 'signal' | 'update', name: string, input?: string): Promise<void> => {
    await page.getByRole('button', { name: 'More Actions' }).click();
    await page.getByRole('menu').getByTestId(`${kind}-button`).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByTestId(`${kind}-select-button`).click();
    await dialog.getByRole('option', { name: new RegExp(`^${name}\\b`) }).click();
    if (input !== undefined) await type(dialog, input);
    const toast = page.getByText(kind === 'signal' ? 'Workflow signaled.' : 'Update successful');
    // The message goes by itself after some seconds, so it is waited for from before it may come. Until it is gone it
    // could be taken for the next message.
    await Promise.all([toast.waitFor(), confirm(dialog)]);
    await toast.waitFor({ state: 'hidden' });
  };

  return {
    page,
    list: async (query) => {
      await page.goto(`${workflows}?query=${encodeURIComponent(query)}`);
      await page.getByTestId('workflow-count').first().waitFor();
      return page.locator('tbody tr').allInnerTexts();
    },
    chooseColumns: async (add, remove) => {
      await page.goto(workflows);
      await page.getByTestId('workflows-summary-table-configuration-button').click();
      for (const name of remove) await page.getByRole('button', { name: `Remove ${name} column` }).click();
      for (const name of add) await page.getByRole('button', { name: `Add ${name} column` }).click();
    },
    open: async (workflowId) => {
      await page.goto(`${workflows}/${encodeURIComponent(workflowId)}`);
      await page.getByTestId('history-tab').waitFor();
    },
    searchAttributes: async () => {
      await show('search-attributes');
      const shown = page.locator('.cm-content').filter({ hasText: 'indexedFields' });
      return shown.innerText();
    },
    currentDetails: async () => {
      await show('user-metadata');
      const shown = page.locator('iframe').last().contentFrame().locator('body').filter({ hasText: /\S/ });
      return shown.innerText();
    },
    pendingActivities: async () => {
      await page.getByTestId('pending-activities-tab').click();
      await page.waitForURL('**/pending-activities');
      await page.reload();
      await page.getByTestId('pending-activities-tab').waitFor();
      return page.locator('main').innerText();
    },
    queryState: async () => {
      await show('queries');
      // Otherwise the answer of an earlier update would still be shown.
      await page.reload();
      const run = page.getByRole('button', { name: 'Run Query' });
      await until('there is a query to run', () => run.isEnabled());
      await run.click();
      return page.locator('.cm-content').filter({ hasText: '{' }).innerText();
    },
    signal: (name, input) => send('signal', name, input),
    update: (name, input) => send('update', name, input),
    openSchedule: async (scheduleId) => {
      await page.goto(`${uiUrl}/namespaces/${namespace}/schedules/${encodeURIComponent(scheduleId)}`);
      const act = async (name: 'trigger' | 'backfill'): Promise<void> => {
        await page.getByRole('button', { name: 'Schedule Actions' }).click();
        await page.getByTestId(`${name}-schedule`).click();
        await confirm(page.getByRole('dialog'));
      };
      return {
        turn: async (to, reason) => {
          await page.getByRole('button', { name: to, exact: true }).click();
          const dialog = page.getByRole('dialog');
          await dialog.locator('#pause-reason').fill(reason);
          await confirm(dialog);
          const next = to === 'Pause' ? 'Unpause' : 'Pause';
          await page.getByRole('button', { name: next, exact: true }).waitFor();
        },
        trigger: () => act('trigger'),
        backfill: () => act('backfill'),
      };
    },
    close: () => browser.close(),
  };
}
