/** How much may wait at each stage of a worker before the stages in front of it slow down. */
import { whole } from '../values.ts';
import { setting } from './setting.ts';

export const pressureSettings = {
  unreadPages: setting({
    name: 'ORBWEAVER_UNREAD_PAGES',
    type: 'number',
    schema: whole(1, 1_000_000_000),
    fallback: '20000',
    description:
      'Number of fetched pages that may wait to be read, of all crawls. From four fifths of it on, workers fetch more slowly.',
  }),
  unreadMb: setting({
    name: 'ORBWEAVER_UNREAD_MB',
    type: 'MiB',
    schema: whole(1, 1_048_576),
    fallback: '4096',
    description:
      'Bytes of fetched pages that may wait to be read, of all crawls, as they came over the wire. From four fifths of it on, workers fetch more slowly.',
  }),
  waitingRows: setting({
    name: 'ORBWEAVER_WAITING_ROWS',
    type: 'number',
    schema: whole(1, 1_000_000_000),
    fallback: '40000',
    description:
      'Number of rows that may wait in a worker for their commit. From four fifths of it on, the worker fetches and reads more slowly.',
  }),
  commitMs: setting({
    name: 'ORBWEAVER_COMMIT_MS',
    type: 'milliseconds',
    schema: whole(1, 600_000),
    fallback: '3000',
    description:
      'How long a commit of a worker may take. From four fifths of it on, the worker fetches and reads more slowly.',
  }),
  storeMb: setting({
    name: 'ORBWEAVER_STORE_MB',
    type: 'MiB',
    schema: whole(1, 65_536),
    fallback: '128',
    description:
      'Bodies of a worker that may wait for the disk. From four fifths of it on, the worker fetches more slowly.',
  }),
  uploadMb: setting({
    name: 'ORBWEAVER_UPLOAD_MB',
    type: 'MiB',
    schema: whole(1, 16_777_216),
    fallback: '16384',
    description:
      'Where the archive is in S3: closed segments that may wait in a folder for their upload. From four fifths of it on, workers with this folder fetch more slowly.',
  }),
} as const;
