/** Verbs that need no stack: robots.txt, URLs, and completion in shells. */
import { Argument, type Command } from 'commander';
import { completionScript, shells, type Shell } from './completion.ts';
import { exitCodes, type Ended } from '../ending.ts';

export function addTools(program: Command, ended: Ended): void {
  program
    .command('robots')
    .description('Tools for robots.txt.')
    .command('check')
    .description('Check URLs against a robots.txt file. URLs are read from standard input if none is given.')
    .requiredOption('--agent <name>', 'product token or full user agent of the crawler')
    .requiredOption('--robots <file>', 'the robots.txt file')
    .argument('[url...]')
    .addHelpText(
      'after',
      '\nExample:\n  orbweaver robots check --agent orbweaver --robots robots.txt https://example.com/private',
    )
    .action(async (urls: string[], options: { agent: string; robots: string }) => {
      ended(await (await import('./robots-check.ts')).robotsCheck(urls, options));
    });
  program
    .command('url')
    .description('Tools for URLs.')
    .command('normalize')
    .description('Print the canonical form of URLs. URLs are read from standard input if none is given.')
    .argument('[url...]')
    .addHelpText(
      'after',
      '\nExample:\n  orbweaver url normalize "HTTP://Example.com:80/a/../b?utm_source=x#y"',
    )
    .action(async (urls: string[]) => {
      ended(await (await import('./url-normalize.ts')).urlNormalize(urls));
    });
}

export function addCompletion(program: Command, ended: Ended): void {
  program
    .command('completion')
    .description('Print a script that completes verbs and options in a shell.')
    .addArgument(new Argument('<shell>', 'which shell').choices(shells))
    .addHelpText(
      'after',
      `
Examples:
  source <(orbweaver completion bash)                 in ~/.bashrc
  source <(orbweaver completion zsh)                  in ~/.zshrc, behind compinit
  orbweaver completion fish > ~/.config/fish/completions/orbweaver.fish`,
    )
    .action((shell: Shell) => {
      process.stdout.write(completionScript(program, shell));
      ended(exitCodes.ok);
    });
}
