/** The verb that tries rules before a crawl has them. */
import type { Command } from 'commander';
import { collect, crawlId } from '../arguments.ts';
import type { Ended } from '../ending.ts';
import type { ExtractOptions } from './extract.ts';

export function addExtract(program: Command, ended: Ended): void {
  program
    .command('extract')
    .description(
      'Try rules on one page: its fields, text and links. With --crawl, on the page as that crawl has stored it, without a request. Otherwise the page is fetched by a crawl of one page, as politely as any: robots.txt, opt-outs and the pace of the host hold; that crawl is deleted after a day.',
    )
    .argument('<url>', 'URL of the page')
    .requiredOption('--rules <file>', 'file with the rules, as YAML or JSON')
    .option('--crawl <id>', 'the crawl that has stored the page', crawlId)
    .option(
      '--allow-private <cidr>',
      'without --crawl: blocks of private addresses that may be reached, such as 127.0.0.0/8; may be repeated',
      collect,
    )
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  orbweaver extract https://shop.example/lamp --rules shop.yaml\n  orbweaver extract https://shop.example/lamp --rules shop.yaml --crawl 3 --json\n\nA file of rules:\n  fields:\n    price: {select: .price, type: number}\n    tags: {select: .tag, many: true}\n  exclude: [.cookie-banner]',
    )
    .action(async (url: string, options: ExtractOptions) => {
      ended(await (await import('./extract.ts')).extract(url, options));
    });
}
