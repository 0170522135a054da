/** A place of backups, by what somebody typed. */
import path from 'node:path';
import { bucketAt, type Config } from '../config/config.ts';
import { openObjects } from '../storage/archive/index.ts';
import { plainly } from './place-faults.ts';
import { BucketRepository, FolderRepository, type Repository } from './repository.ts';

/** Whatever is wrong with it is a StackError. @param target a folder, or `s3://bucket/prefix` */
export async function openRepository(target: string, config: Config): Promise<Repository> {
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(target) ?? [];
  if (bucket === undefined) return plainly(new FolderRepository(path.resolve(target)));
  const whole = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
  const objects = await openObjects(bucketAt(bucket, whole, config));
  if (objects === null) throw new Error('a bucket without a store');
  return plainly(new BucketRepository(target, objects));
}
