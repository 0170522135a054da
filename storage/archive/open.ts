/** Opens the store of segments that the settings ask for, and the bucket for other things. */
import type { Bucket, Patience, S3Objects } from './s3-objects.ts';
import { SegmentFolder } from './segment-folder.ts';
import type { SegmentStore } from './segment-store.ts';

/**
 * @param folder takes segments while they are written
 * @param bucket takes them when they are closed; null: they stay in the folder
 */
export async function openSegments(
  folder: string,
  bucket: Bucket | null,
  patience?: Patience,
): Promise<SegmentStore> {
  const here = new SegmentFolder(folder);
  if (bucket === null) return here;
  // Loaded where it is used: the client takes 36 MB and 0.2 s.
  const [{ S3Objects }, { SegmentsInS3 }] = await Promise.all([
    import('./s3-objects.ts'),
    import('./segments-in-s3.ts'),
  ]);
  return new SegmentsInS3(here, new S3Objects(bucket, patience));
}

export type ObjectStore = Pick<S3Objects, 'read' | 'size' | 'take' | 'put' | 'list' | 'remove' | 'keyOf'>;

/** Null: there is no bucket. */
export async function openObjects(bucket: Bucket | null): Promise<ObjectStore | null> {
  return bucket === null ? null : new (await import('./s3-objects.ts')).S3Objects(bucket);
}
