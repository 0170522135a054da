/**
 * The OpenSearch of the tests: the real server, from its jars, which Maven puts into the cache once. Tests that need it are
 * skipped by name where `npm run test-programs` was never run.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

const version = '2.19.1';
const cache = path.join(homedir(), '.cache', 'orbweaver');
const jars = path.join(cache, `opensearch-${version}`);
const source = path.join(import.meta.dirname, 'OpenSearchNode.java');

export const hasOpenSearch = (): boolean => existsSync(jars);

const dependency = (group: string, name: string, its: string): string =>
  `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${its}</version></dependency>`;
const project = [
  '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>',
  '<groupId>orbweaver</groupId><artifactId>test-opensearch</artifactId><version>1</version><dependencies>',
  dependency('org.opensearch', 'opensearch', version),
  ...['transport-netty4-client', 'analysis-common', 'reindex-client'].map((name) =>
    dependency('org.opensearch.plugin', name, version),
  ),
  // OpenSearch does not name it, and does not start without it.
  dependency('org.apache.logging.log4j', 'log4j-core', '2.21.0'),
  '</dependencies></project>',
].join('\n');

/** Needs a JDK, 11 or later, and Maven. */
export function installOpenSearch(): string {
  if (existsSync(jars)) return jars;
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(path.join(cache, 'opensearch-draft-'));
  try {
    writeFileSync(path.join(draft, 'pom.xml'), project);
    const copy = ['--quiet', '--batch-mode', 'dependency:copy-dependencies', '-DoutputDirectory=jars'];
    execFileSync('mvn', copy, { cwd: draft, stdio: ['ignore', 2, 2] });
    execFileSync('javac', ['-version'], { stdio: ['ignore', 2, 2] });
    renameSync(path.join(draft, 'jars'), jars);
  } catch (error) {
    throw new Error(`A JDK, Maven, and a way to OpenSearch ${version}, are needed.`, { cause: error });
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return jars;
}

export interface OpenSearchServer {
  readonly url: string;
  close(): Promise<void>;
}

export async function startOpenSearch(): Promise<OpenSearchServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'orbweaver-opensearch-'));
  const options = [
    '-Xms384m',
    '-Xmx384m',
    '-XX:+UseSerialGC',
    '-XX:TieredStopAtLevel=1',
    '-Dlog4j2.disableJmx=true',
  ];
  // It ends with its input, so also with us.
  const server = spawn('java', [...options, '-cp', path.join(jars, '*'), source, folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const port = await new Promise<string>((resolve, reject) => {
    server.once('error', reject);
    server.once('exit', () => reject(new Error('OpenSearch ended before it answered')));
    createInterface({ input: server.stdout }).on('line', (line) => {
      const [, port] = /^port (\d+)$/.exec(line) ?? [];
      if (port !== undefined) resolve(port);
    });
  });
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.stdin.end();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
