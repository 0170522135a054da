/** The content-addressed store of bodies. */
export type { BlobStore } from './blob-store.ts';
export { FileBlobStore } from './file-blob-store.ts';
export { RecentBlobs } from './recent-blobs.ts';
export { sweepTemporaries } from './sweep-temporaries.ts';
