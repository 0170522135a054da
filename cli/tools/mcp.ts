/** `mcp`: the tools for agents on standard input and output, for clients that start their servers themselves. */
import { once } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { agentServer } from '../../agents/server.ts';
import { loadConfig } from '../../config/config.ts';
import { version } from '../../config/package.ts';
import type { ApiAddress } from '../api/request.ts';
import { isNamed, stackAddress, withAddress } from '../api/target.ts';
import { aborted, listenForInterrupts } from '../crawl/interrupts.ts';
import { sayPlainly } from '../output/lines.ts';
import { runningStack } from '../stack/running-stack.ts';
import { takeStack } from '../stack/stack.ts';
import { does } from '../verb.ts';

export const verbs = [
  does({
    words: 'mcp',
    takes: {
      '--keep': 'if a stack has to be started, leave it running at the end, with its crawls',
    },
    notes: `A client starts this itself and speaks the Model Context Protocol with it, as docs/agents.md shows for the usual ones. If no stack runs, one is started, and stopped at the end: crawls stand still then until the next start. With --server the tools are those of another machine's API.

Examples:
  orbweaver mcp
  orbweaver mcp --server https://crawler.example --key-file ~/agent-key`,
    run: async ({ keep, ...given }) => {
      const config = loadConfig();
      const interrupts = listenForInterrupts();
      const signal = interrupts.first;
      try {
        if (isNamed(given) || runningStack(config.dataDir, 'all') !== null) {
          await withAddress(given, (address) => speak(address, signal), 'all');
          return;
        }
        const stack = await takeStack(config, keep, sayPlainly, signal);
        try {
          await Promise.race([speak(stackAddress(stack.info), signal), stack.lost]);
        } finally {
          await stack.leave();
        }
      } finally {
        interrupts.release();
      }
    },
  }),
];

/** Until the client closes standard input, or somebody interrupts. Standard output has the protocol and nothing else. */
async function speak({ url, key }: ApiAddress, signal: AbortSignal): Promise<void> {
  const handle = serveStdio(() => agentServer({ place: { url, key }, version, stopping: signal }), {
    onerror: ({ message }) => {
      sayPlainly(message);
    },
  });
  await Promise.race([once(process.stdin, 'close'), once(process.stdin, 'end'), aborted(signal)]);
  await handle.close();
}
