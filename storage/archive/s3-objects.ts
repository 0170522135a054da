/**
 * Segments as objects of a bucket, by whatever speaks S3. Every trouble of the store is one kind of fault, and nothing
 * but the store's own word makes an object count as gone.
 */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
  type CompletedPart,
  type GetObjectCommandOutput,
} from '@aws-sdk/client-s3';
import { isNamed, wholeAnswer, wordsOf } from './s3-answers.ts';

export interface Bucket {
  readonly bucket: string;
  /** Null: AWS. */
  readonly endpoint: string | null;
  /** Null: as the environment or the profile of the SDK says. */
  readonly region: string | null;
  /** What the names of all objects begin with. */
  readonly prefix: string;
  readonly pathStyle: boolean;
}

/** The store is down, slow, or refuses us: a fault of ours, which says nothing of the object. */
class S3Fault extends Error {
  /** By which callers recognise a store of bodies that is down, as if it were a disk. */
  readonly code = 'EIO';
}

/** Milliseconds for a call with its repetitions, from the first byte to the last. */
const usualPatience = { callMs: 30_000, partMs: 120_000 };
export type Patience = typeof usualPatience;

/** Parts have at least 5 MiB, but for the last, and there are at most 10,000 of them. */
const partBytes = 8 * 1024 ** 2;
const mostParts = 10_000;
const stepOf = (length: number): number => Math.max(partBytes, Math.ceil(length / mostParts));
/** Tries of a call; the SDK waits in between, longer each time. */
const tries = 4;
/** Of segments; other things may lie under the same prefix. */
const isSegment = (name: string): boolean => /^[0-9a-f-]{36}\.warc\.(zst|gz)$/.test(name);

export class S3Objects {
  readonly #client: S3Client;
  readonly #bucket: Bucket;
  readonly #patience: Patience;

  constructor(bucket: Bucket, patience: Patience = usualPatience) {
    const { endpoint, region, pathStyle } = bucket;
    this.#bucket = bucket;
    this.#patience = patience;
    // A store of one's own seldom has regions, and the signature must name one.
    const named = region ?? (endpoint === null ? null : 'us-east-1');
    this.#client = new S3Client({
      ...(endpoint !== null && { endpoint }),
      ...(named !== null && { region: named }),
      forcePathStyle: pathStyle,
      maxAttempts: tries,
      requestHandler: { connectionTimeout: patience.callMs / 6, socketTimeout: patience.callMs / 3 },
    });
  }

  /** Null: there is no such object, or it ends before that. */
  read(name: string, at: number, length: number): Promise<Buffer | null> {
    return this.#call('read', this.#patience.callMs, async (signal) => {
      // The SDK repeats calls that are refused, not answers that break off.
      for (let left = tries - 1; ; left--) {
        const answer = await this.#get(name, `bytes=${String(at)}-${String(at + length - 1)}`, signal);
        if (answer === null) return null;
        try {
          return await wholeAnswer(answer, at, length, signal);
        } catch (error) {
          if (left === 0 || signal.aborted) throw error;
        }
      }
    });
  }

  /** Null: there is no such object. */
  size(name: string): Promise<number | null> {
    return this.#call('look', this.#patience.callMs, async (abortSignal) => {
      try {
        const answer = await this.#client.send(new HeadObjectCommand(this.#named(name)), { abortSignal });
        return answer.ContentLength ?? null;
      } catch (error) {
        // Without a body the answer cannot tell that it is the bucket that is missing: other calls do.
        if (isNamed(error, 'NotFound', 'NoSuchKey')) return null;
        throw error;
      }
    });
  }

  /** Stores an object of some megabytes at once. It is not there before it is whole. */
  async put(name: string, Body: Uint8Array): Promise<void> {
    const checked = await this.#checked();
    await this.#call('store', this.#patience.partMs, (abortSignal) =>
      this.#client.send(new PutObjectCommand({ ...this.#named(name), ...checked, Body }), { abortSignal }),
    );
  }

  /** The names of all objects that begin so, in order. */
  async list(begin: string): Promise<string[]> {
    const Prefix = this.keyOf(begin);
    const names: string[] = [];
    for (let ContinuationToken: string | undefined, more = true; more;) {
      const page = await this.#call('list', this.#patience.callMs, (abortSignal) =>
        this.#client.send(
          new ListObjectsV2Command({ Bucket: this.#bucket.bucket, Prefix, ContinuationToken }),
          { abortSignal },
        ),
      );
      for (const { Key = '' } of page.Contents ?? []) names.push(Key.slice(this.#bucket.prefix.length));
      ContinuationToken = page.NextContinuationToken;
      more = page.IsTruncated === true;
    }
    return names;
  }

  /**
   * Stores an object by parts. It is not there before it is whole.
   * @param part the bytes of a part
   * @returns false: `goesOn` ended it
   */
  async upload(
    name: string,
    length: number,
    part: (at: number, length: number) => Promise<Buffer>,
    goesOn: () => Promise<boolean>,
  ): Promise<boolean> {
    await this.abort(name);
    const { callMs } = this.#patience;
    const checked = await this.#checked();
    const { UploadId } = await this.#call('begin an upload', callMs, (abortSignal) =>
      this.#client.send(new CreateMultipartUploadCommand({ ...this.#named(name), ...checked }), {
        abortSignal,
      }),
    );
    const { parts, whole } = await this.#sendParts(name, UploadId, [], length, part, goesOn, checked);
    if (!whole) {
      await this.abort(name);
      return false;
    }
    await this.#complete(name, UploadId, parts);
    // A part of an earlier process that was on its way when its upload was given up may have brought that back.
    await this.abort(name);
    return true;
  }

  /**
   * As `upload`, for an object whose bytes will not change: an upload that was cut short is taken up where it was.
   * @returns false: `goesOn` ended it, and it can be taken up
   */
  async take(
    name: string,
    length: number,
    part: (at: number, length: number) => Promise<Buffer>,
    goesOn: () => Promise<boolean>,
  ): Promise<boolean> {
    if ((await this.size(name)) === length) return true;
    const { callMs } = this.#patience;
    const checked = await this.#checked();
    const begun = await this.#uploadsOf(name);
    const known = begun.at(-1);
    const id =
      known ??
      (
        await this.#call('begin an upload', callMs, (abortSignal) =>
          this.#client.send(new CreateMultipartUploadCommand({ ...this.#named(name), ...checked }), {
            abortSignal,
          }),
        )
      ).UploadId;
    const there = known === undefined ? [] : await this.#partsOf(name, known, length);
    const { parts, whole } = await this.#sendParts(name, id, there, length, part, goesOn, checked);
    if (!whole) return false;
    await this.#complete(name, id, parts);
    await this.abort(name);
    return true;
  }

  /** The SDK adds checksums to parts unless its settings say that the store knows none. */
  async #checked(): Promise<{ readonly ChecksumAlgorithm?: 'CRC32' }> {
    const adds = (await this.#client.config.requestChecksumCalculation()) === 'WHEN_SUPPORTED';
    return adds ? { ChecksumAlgorithm: 'CRC32' } : {};
  }

  /** The first parts of an upload, up to the first that is missing or has another length than it must have. */
  async #partsOf(name: string, UploadId: string, length: number): Promise<CompletedPart[]> {
    const step = stepOf(length);
    const found: CompletedPart[] = [];
    for (let after: string | undefined, more = true; more;) {
      const page = await this.#call('list the parts of an upload', this.#patience.callMs, (abortSignal) =>
        this.#client.send(new ListPartsCommand({ ...this.#named(name), UploadId, PartNumberMarker: after }), {
          abortSignal,
        }),
      );
      for (const { PartNumber, Size, ETag, ChecksumCRC32 } of page.Parts ?? []) {
        const at = found.length * step;
        if (PartNumber !== found.length + 1 || Size !== Math.min(step, length - at)) return found;
        found.push({ PartNumber, ETag, ...(ChecksumCRC32 !== undefined && { ChecksumCRC32 }) });
      }
      after = page.NextPartNumberMarker;
      more = page.IsTruncated === true;
    }
    return found;
  }

  /** Sends what follows the parts that are there. */
  async #sendParts(
    name: string,
    UploadId: string | undefined,
    there: readonly CompletedPart[],
    length: number,
    part: (at: number, length: number) => Promise<Buffer>,
    goesOn: () => Promise<boolean>,
    checked: { readonly ChecksumAlgorithm?: 'CRC32' },
  ): Promise<{ readonly parts: CompletedPart[]; readonly whole: boolean }> {
    const step = stepOf(length);
    const parts = [...there];
    for (let at = parts.length * step; at < length; at += step) {
      if (!(await goesOn())) return { parts, whole: false };
      const PartNumber = parts.length + 1;
      const Body = await part(at, Math.min(step, length - at));
      const { ETag, ChecksumCRC32 } = await this.#call('upload', this.#patience.partMs, (abortSignal) =>
        this.#client.send(
          new UploadPartCommand({ ...this.#named(name), ...checked, UploadId, PartNumber, Body }),
          { abortSignal },
        ),
      );
      parts.push({ PartNumber, ETag, ...(ChecksumCRC32 !== undefined && { ChecksumCRC32 }) });
    }
    return { parts, whole: true };
  }

  async #complete(name: string, UploadId: string | undefined, Parts: CompletedPart[]): Promise<void> {
    await this.#call('end an upload', this.#patience.partMs, (abortSignal) =>
      this.#client.send(
        new CompleteMultipartUploadCommand({
          ...this.#named(name),
          UploadId,
          MultipartUpload: { Parts },
        }),
        { abortSignal },
      ),
    );
  }

  /** Removes an object and what was uploaded of it, if there is anything. */
  async remove(name: string): Promise<void> {
    await this.abort(name);
    await this.#call('remove', this.#patience.callMs, (abortSignal) =>
      this.#client.send(new DeleteObjectCommand(this.#named(name)), { abortSignal }),
    );
  }

  /** Gives up every upload of an object that nobody has ended. */
  abort(name: string): Promise<void> {
    return this.#abort(this.keyOf(name), (key) => key === this.keyOf(name));
  }

  /** Gives up the uploads of segments that began before this time. */
  abortBefore(before: Date): Promise<void> {
    const { prefix } = this.#bucket;
    return this.#abort(
      prefix,
      (key, begun) => isSegment(key.slice(prefix.length)) && begun !== undefined && begun < before,
    );
  }

  /** The uploads of an object that nobody has ended, by their ids. */
  async #uploadsOf(name: string): Promise<string[]> {
    const key = this.keyOf(name);
    const { Uploads = [] } = await this.#call('list uploads', this.#patience.callMs, (abortSignal) =>
      this.#client.send(new ListMultipartUploadsCommand({ Bucket: this.#bucket.bucket, Prefix: key }), {
        abortSignal,
      }),
    );
    return Uploads.flatMap(({ Key, UploadId }) => (Key === key && UploadId !== undefined ? [UploadId] : []));
  }

  async #abort(prefix: string, isMeant: (key: string, begun: Date | undefined) => boolean): Promise<void> {
    const Bucket = this.#bucket.bucket;
    let after: { readonly KeyMarker?: string; readonly UploadIdMarker?: string } | null = {};
    while (after !== null) {
      const page = await this.#call('list uploads', this.#patience.callMs, (abortSignal) =>
        this.#client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: prefix, ...after }), {
          abortSignal,
        }),
      );
      for (const { Key = '', UploadId, Initiated } of page.Uploads ?? [])
        if (isMeant(Key, Initiated))
          await this.#call('give up an upload', this.#patience.callMs, async (abortSignal) => {
            try {
              await this.#client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }), {
                abortSignal,
              });
            } catch (error) {
              // Another process was here first.
              if (!isNamed(error, 'NoSuchUpload')) throw error;
            }
          });
      const { IsTruncated, NextKeyMarker, NextUploadIdMarker } = page;
      after =
        IsTruncated === true && NextKeyMarker !== undefined
          ? {
              KeyMarker: NextKeyMarker,
              ...(NextUploadIdMarker !== undefined && { UploadIdMarker: NextUploadIdMarker }),
            }
          : null;
    }
  }

  async #get(name: string, Range: string, abortSignal: AbortSignal): Promise<GetObjectCommandOutput | null> {
    try {
      return await this.#client.send(new GetObjectCommand({ ...this.#named(name), Range }), { abortSignal });
    } catch (error) {
      if (isNamed(error, 'NoSuchKey', 'InvalidRange')) return null;
      throw error;
    }
  }

  async #call<T>(what: string, ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const signal = AbortSignal.timeout(ms);
    try {
      return await work(signal);
    } catch (error) {
      const { bucket } = this.#bucket;
      const why = signal.aborted ? `no answer within ${String(ms / 1_000)} s` : wordsOf(error);
      // The error of the SDK stays behind: it carries the request.
      throw new S3Fault(`the bucket ${bucket} could not be used (${what}): ${why}`);
    }
  }

  #named(name: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#bucket.bucket, Key: this.keyOf(name) };
  }

  /** The object's whole name in the bucket. */
  keyOf(name: string): string {
    return this.#bucket.prefix + name;
  }
}
