/**
 * The pages of a crawl as a WACZ 1.1.1: a zip of archives, an index of their records (CDXJ in compressed blocks, so that
 * a player reads a few of them), a list of pages, and a package file with the SHA-256 of each. The archives are written
 * into the zip as they come, and none is larger than a gigabyte, so that making the file whole takes no second copy.
 */
import { createHash, hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { PageView } from '../../contracts/http/results.ts';
import { archivedKinds } from '../../domain/url-kind.ts';
import type { Draft } from '../../storage/exports/index.ts';
import { firstRecord, membersOf, packed, robotsOf, type Member } from '../archive-export.ts';
import { cdxLine } from './cdxj.ts';
import { whole, type ExportForm, type Making } from './form.ts';
import { sortedLines } from './sorting.ts';
import { archiveEnd, directoryEntry, localHeader, type ZipFile } from './zip.ts';

/** Bytes after which an archive takes no more records: it stays below 4 GB. */
const archiveBytes = 1024 ** 3;
/** Lines of a block of the index. */
const blockLines = 3_000;
const packedType = 'sha256:';

/** Parts of the draft beside the file itself. */
const directory = 'directory';
const resources = 'resources';
const lines = 'lines';
const pageList = 'pages';
const [indexPart, blocksPart] = ['index', 'blocks'];

interface Memory {
  /** Files that are in the zip whole. */
  readonly files: number;
  /** Archives begun. */
  readonly archives: number;
  /** The archive that still grows: where its local header and its bytes begin, and their checksum so far. */
  readonly open: {
    readonly name: string;
    readonly at: number;
    readonly from: number;
    readonly crc: number;
  } | null;
}

const nothing: Memory = { files: 0, archives: 0, open: null };

/** A zip in the making. Each call goes on from what the draft has. */
class Zip {
  readonly #draft: Draft;
  memory: Memory;

  constructor(draft: Draft, memory: unknown) {
    this.#draft = draft;
    this.memory = (memory as Memory | null) ?? nothing;
  }

  /** Adds a record's bytes to the archive that grows. Answers the archive's name, and the place in it. */
  async record(bytes: Buffer, software: string): Promise<{ readonly archive: string; readonly at: number }> {
    const open = this.memory.open ?? (await this.#begin(software));
    const at = this.#draft.length(whole) - open.from;
    await this.#draft.append(whole, bytes);
    this.memory = { ...this.memory, open: { ...open, crc: crc32(bytes, open.crc) } };
    return { archive: open.name, at };
  }

  async #begin(software: string): Promise<NonNullable<Memory['open']>> {
    const archives = this.memory.archives + 1;
    const name = `data-${String(archives).padStart(5, '0')}.warc.gz`;
    const at = this.#draft.length(whole);
    await this.#draft.append(whole, localHeader(zipFile(`archive/${name}`, at, 0, 0)));
    const open = { name, at, from: this.#draft.length(whole), crc: 0 };
    this.memory = { ...this.memory, archives, open };
    await this.record(await packed(firstRecord(software), 'gzip'), software);
    return this.memory.open ?? open;
  }

  /** Ends the archive that grows if it has so many bytes. */
  async endArchive(least: number): Promise<void> {
    const { open } = this.memory;
    if (open === null) return;
    const bytes = this.#draft.length(whole) - open.from;
    if (bytes < least) return;
    const file = zipFile(`archive/${open.name}`, open.at, bytes, open.crc);
    const sha = createHash('sha256');
    for await (const chunk of this.#draft.read(whole, open.from, open.from + bytes)) sha.update(chunk);
    // Done again, with the same bytes, where a process is killed before this is noted.
    await this.#draft.overwrite(whole, open.at, localHeader(file));
    await this.#list(file, sha.digest('hex'));
    this.memory = { ...this.memory, open: null };
  }

  /** Adds a part of the draft as a file. */
  async part(part: string, name: string): Promise<void> {
    const sha = createHash('sha256');
    let crc = 0;
    for await (const chunk of this.#draft.read(part)) {
      sha.update(chunk);
      crc = crc32(chunk, crc);
    }
    const file = zipFile(name, this.#draft.length(whole), this.#draft.length(part), crc);
    await this.#draft.append(whole, localHeader(file));
    for await (const chunk of this.#draft.read(part)) await this.#draft.append(whole, chunk);
    await this.#list(file, sha.digest('hex'));
  }

  /** Adds a small file that the package file does not list. */
  async bytes(name: string, bytes: Buffer): Promise<void> {
    const file = zipFile(name, this.#draft.length(whole), bytes.length, crc32(bytes));
    await this.#draft.append(whole, localHeader(file));
    await this.#draft.append(whole, bytes);
    await this.#enter(file);
  }

  async end(): Promise<void> {
    const at = this.#draft.length(whole);
    for await (const chunk of this.#draft.read(directory)) await this.#draft.append(whole, chunk);
    const bytes = this.#draft.length(directory);
    await this.#draft.append(whole, archiveEnd(this.memory.files, at, bytes));
  }

  async #list(file: ZipFile, sha: string): Promise<void> {
    const { name: path, size } = file;
    const name = path.slice(path.lastIndexOf('/') + 1);
    const resource = { name, path, hash: packedType + sha, bytes: size };
    await this.#draft.append(resources, `${JSON.stringify(resource)}\n`);
    await this.#enter(file);
  }

  async #enter(file: ZipFile): Promise<void> {
    await this.#draft.append(directory, directoryEntry(file));
    this.memory = { ...this.memory, files: this.memory.files + 1 };
  }
}

const zipFile = (name: string, at: number, size: number, crc: number): ZipFile => ({
  name,
  at,
  method: 0,
  packed: size,
  size,
  crc,
});

const listHead = `${JSON.stringify({ format: 'json-pages-1.0', id: 'pages', title: 'All pages' })}\n`;

/** A line of the list of pages: those that people would open. Null: this page is none. */
function pageLine({ url, fetchedAt, title, text, words, status, contentHash }: PageView): string | null {
  if (words === null || status !== 200 || contentHash === null) return null;
  const id = hash('sha256', `${fetchedAt} ${url}`).slice(0, 20);
  return `${JSON.stringify({ id, url, ts: fetchedAt, ...(title !== null && { title }), ...(typeof text === 'string' && { text }) })}\n`;
}

/** Writes the sorted lines as members of gzip, and a line for each member. */
async function writeIndex(draft: Draft): Promise<void> {
  const file = 'index.cdx.gz';
  await draft.append(blocksPart, `!meta 0 ${JSON.stringify({ format: 'cdxj-gzip-1.0', filename: file })}\n`);
  let block: string[] = [];
  const write = async (): Promise<void> => {
    const member = await packed(Buffer.from(block.join('')), 'gzip');
    const [first = ''] = block;
    const facts = {
      offset: draft.length(indexPart),
      length: member.length,
      digest: packedType + hash('sha256', member),
      filename: file,
    };
    await draft.append(blocksPart, `${first.slice(0, first.indexOf(' {'))} ${JSON.stringify(facts)}\n`);
    await draft.append(indexPart, member);
    block = [];
  };
  for await (const line of sortedLines(draft, lines)) {
    block.push(`${line}\n`);
    if (block.length === blockLines) await write();
  }
  if (block.length > 0 || draft.length(indexPart) === 0) await write();
}

async function packageFile(draft: Draft, software: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of draft.read(resources)) chunks.push(chunk);
  const listed = Buffer.concat(chunks).toString().trim().split('\n');
  const told = {
    profile: 'data-package',
    wacz_version: '1.1.1',
    software,
    created: new Date().toISOString(),
    resources: listed.map((line) => JSON.parse(line) as unknown),
  };
  return Buffer.from(`${JSON.stringify(told, null, 2)}\n`);
}

/** Adds records to the archives, and lines about them to the index. */
async function addMembers(
  { draft, software }: Making,
  zip: Zip,
  members: AsyncIterable<Member>,
): Promise<void> {
  for await (const { record, packed: member } of members) {
    const place = await zip.record(member, software);
    const line = cdxLine(record, { ...place, length: member.length });
    if (line !== null) await draft.append(lines, `${line}\n`);
    await zip.endArchive(archiveBytes);
  }
}

export const wacz: ExportForm = {
  pages: 200,
  needs: [],
  kinds: archivedKinds,
  async add(making, pages) {
    const { draft, memory, pool, archive } = making;
    const zip = new Zip(draft, memory);
    await addMembers(making, zip, membersOf(pool, archive, making, pages, 'gzip'));
    if (draft.length(pageList) === 0) await draft.append(pageList, listHead);
    for (const page of pages) {
      const line = pageLine(page);
      if (line !== null) await draft.append(pageList, line);
    }
    return zip.memory;
  },
  async end(making) {
    const { draft, memory, pool, archive, software } = making;
    const zip = new Zip(draft, memory);
    await addMembers(making, zip, robotsOf(pool, archive, making, 'gzip'));
    if (zip.memory.archives === 0) await zip.record(Buffer.of(), software);
    await zip.endArchive(0);
    if (draft.length(pageList) === 0) await draft.append(pageList, listHead);
    await writeIndex(draft);
    await zip.part(indexPart, 'indexes/index.cdx.gz');
    await zip.part(blocksPart, 'indexes/index.idx');
    await zip.part(pageList, 'pages/pages.jsonl');
    const told = await packageFile(draft, software);
    await zip.bytes('datapackage.json', told);
    const digest = { path: 'datapackage.json', hash: packedType + hash('sha256', told) };
    await zip.bytes('datapackage-digest.json', Buffer.from(`${JSON.stringify(digest)}\n`));
    await zip.end();
  },
};
