/** `mcp`: the tools for agents on standard input and output, for clients that start their servers themselves. */
import { once } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { agentServer } from '../../agents/server.ts';
import { loadConfig, type Config } from '../../config/config.ts';
import { version } from '../../config/package.ts';
import type { ApiAddress } from '../api/request.ts';
import { isNamed, stackAddress, withAddress } from '../api/target.ts';
import { aborted, listenForInterrupts } from '../crawl/interrupts.ts';
import { sayPlainly } from '../output/lines.ts';
import { runningStack } from '../stack/running-stack.ts';
import { does } from '../verb.ts';

export const verbs = [
  does({
    words: 'mcp',
    takes: {
      '--keep': 'if a stack has to be started, leave it running at the end, with its crawls',
    },
    notes: `A client starts this itself and speaks the Model Context Protocol with it, as docs/agents.md shows for the usual ones. If no stack runs, one is started while the client is answered already, and stopped at the end: crawls stand still then until the next start. With --server the tools are those of another machine's API.

Examples:
  orbweaver mcp
  orbweaver mcp --server https://crawler.example --key-file ~/agent-key`,
    run: async ({ keep, ...given }) => {
      const config = loadConfig();
      const interrupts = listenForInterrupts();
      try {
        if (isNamed(given) || runningStack(config.dataDir, 'all') !== null)
          await withAddress(given, (address) => speak(address, interrupts.first), 'all');
        else await onOwnStack(config, keep, interrupts.first);
      } finally {
        interrupts.release();
      }
    },
  }),
];

/** Clients give a server up that does not speak within some seconds, so it speaks while its stack starts. */
async function onOwnStack(config: Config, keep: boolean, interrupted: AbortSignal): Promise<void> {
  // Loaded only here: most clients find a stack.
  const { takeStack } = await import('../stack/stack.ts');
  const left = new AbortController();
  const starting = takeStack(config, keep, sayPlainly, AbortSignal.any([interrupted, left.signal]));
  const place = starting.then(({ info }) => stackAddress(info));
  try {
    await Promise.race([speak(place, interrupted), starting.then(({ lost }) => lost)]);
  } finally {
    left.abort();
    await starting.then(
      (stack) => stack.leave(),
      // The race has told it, or the client has left while the stack was starting.
      () => undefined,
    );
  }
}

/** Until the client closes standard input, or somebody interrupts. Standard output has the protocol and nothing else. */
async function speak(address: ApiAddress | Promise<ApiAddress>, signal: AbortSignal): Promise<void> {
  const place = Promise.resolve(address).then(({ url, key }) => ({ url, key }));
  // If there is none, whoever looks for it says so, and no tool may ask before.
  place.catch(() => undefined);
  const handle = serveStdio(() => agentServer({ place, version, stopping: signal }), {
    onerror: ({ message }) => {
      sayPlainly(message);
    },
  });
  await Promise.race([once(process.stdin, 'close'), once(process.stdin, 'end'), aborted(signal)]);
  await handle.close();
}
