/** The archive of bodies, in a folder or in S3, and the files that exports make. */
import { z } from 'zod';
import { backupTarget, decimal, endpoint, folder, oneOf, secretKeys, text, url, whole } from '../values.ts';
import { nullable, setting } from './setting.ts';

export const storageSettings = {
  blobDir: nullable({
    name: 'ORBWEAVER_BLOBS',
    type: 'folder',
    schema: folder,
    fallback: null,
    defaultNote: '`blobs` in the data folder',
    description: 'Folder of the archive segments, which hold the stored bodies.',
  }),
  s3Bucket: nullable({
    name: 'ORBWEAVER_S3_BUCKET',
    type: 'bucket',
    schema: text,
    fallback: null,
    defaultNote: 'none: segments stay in their folder',
    description:
      'Bucket to which archive segments are uploaded once they are closed. Access keys come from the environment, profile or machine, as with every program that uses the AWS SDK.',
  }),
  s3Endpoint: nullable({
    name: 'ORBWEAVER_S3_ENDPOINT',
    type: 'URL',
    schema: endpoint,
    fallback: null,
    defaultNote: 'AWS',
    description: 'Address of the S3 service, if it is not that of AWS.',
  }),
  s3Region: nullable({
    name: 'ORBWEAVER_S3_REGION',
    type: 'text',
    schema: text,
    fallback: null,
    defaultNote: 'with an endpoint `us-east-1`, else as `AWS_REGION` or the profile says',
    description: 'Region of the bucket.',
  }),
  s3Prefix: setting({
    name: 'ORBWEAVER_S3_PREFIX',
    type: 'text',
    schema: z.string(),
    fallback: '',
    defaultNote: 'none',
    description: 'What the names of all objects begin with, such as `crawls/`.',
  }),
  s3PathStyle: setting({
    name: 'ORBWEAVER_S3_PATH_STYLE',
    type: 'on or off',
    schema: oneOf(['on', 'off']),
    fallback: 'off',
    description:
      'Whether requests name the bucket in the path instead of the host name. Services of your own mostly want `on`.',
  }),
  openSearchUrl: nullable({
    name: 'ORBWEAVER_OPENSEARCH_URL',
    type: 'URL',
    schema: url('http:', 'https:'),
    fallback: null,
    defaultNote: 'none: Postgres holds it',
    description:
      'OpenSearch that holds the index for searches instead of Postgres, with a name and a password in it if they are needed. All workers and APIs must name the same one; crawls that are indexed elsewhere are indexed there anew.',
    secret: true,
  }),
  openSearchIndex: setting({
    name: 'ORBWEAVER_OPENSEARCH_INDEX',
    type: 'text',
    schema: z
      .string()
      .regex(
        /^[a-z][a-z0-9_-]{0,99}$/,
        'must be up to 100 of a to z, digits, - and _, and begin with a letter',
      ),
    fallback: 'orbweaver-pages',
    description:
      'Name of the index there. It is made if it is not there, with the shards and replicas of the templates.',
  }),
  secretKeys: nullable({
    name: 'ORBWEAVER_SECRET_KEY',
    type: 'keys',
    schema: secretKeys,
    fallback: null,
    defaultNote: 'the file `secret-key` in the data folder, made when it is first needed',
    description:
      'Keys by which what must stay secret is kept in Postgres, such as sessions of crawls: 32 random bytes in Base64 each (`openssl rand -base64 32`), separated by commas. The first one seals, and all of them open. All workers and APIs must have the same ones.',
    secret: true,
  }),
  exportDir: nullable({
    name: 'ORBWEAVER_EXPORTS',
    type: 'folder',
    schema: folder,
    fallback: null,
    defaultNote: '`exports` in the data folder',
    description: 'Folder of the files that exports make. The API and the workers that read pages share it.',
  }),
  exportMb: setting({
    name: 'ORBWEAVER_EXPORTS_MB',
    type: 'MiB',
    schema: whole(1, 1_073_741_824),
    fallback: '102400',
    description:
      'Size that the files of all exports in the folder may have together. An export that passes it fails.',
  }),
  exportDays: setting({
    name: 'ORBWEAVER_EXPORT_DAYS',
    type: 'days',
    schema: decimal(0.001, 36_500),
    fallback: '7',
    description: 'Days after its end at which an export is removed with its file.',
  }),
  backupTarget: nullable({
    name: 'ORBWEAVER_BACKUP',
    type: 'folder, or s3://bucket/prefix',
    schema: backupTarget,
    fallback: null,
    defaultNote: 'none: nothing is backed up by itself',
    description:
      'Where the stack backs itself up to ([backup.md](backup.md)), and where the verb `backup` does if it names no other place. The service of a bucket is that of `ORBWEAVER_S3_ENDPOINT`.',
  }),
  backupHours: setting({
    name: 'ORBWEAVER_BACKUP_HOURS',
    type: 'hours',
    schema: decimal(0.1, 8_760),
    fallback: '24',
    description: 'How often the stack backs itself up to `ORBWEAVER_BACKUP`.',
  }),
  backupKeep: setting({
    name: 'ORBWEAVER_BACKUP_KEEP',
    type: 'number',
    schema: whole(1, 10_000),
    fallback: '14',
    description: 'Backups that stay there: the latest so many.',
  }),
  segmentMb: setting({
    name: 'ORBWEAVER_SEGMENT_MB',
    type: 'MiB',
    schema: whole(1, 1_048_576),
    fallback: '1024',
    description: 'Size at which an archive segment takes no more bodies.',
  }),
  segmentHours: setting({
    name: 'ORBWEAVER_SEGMENT_HOURS',
    type: 'hours',
    schema: decimal(0.01, 8_760),
    fallback: '24',
    description: 'Age at which an archive segment takes no more bodies.',
  }),
  segmentFormat: setting({
    name: 'ORBWEAVER_SEGMENT_FORMAT',
    type: '`zstd` or `gzip`',
    schema: oneOf(['zstd', 'gzip']),
    fallback: 'zstd',
    description:
      'Compression of the records in new archive segments. `gzip` takes more time and room, and more programs read it.',
  }),
} as const;
