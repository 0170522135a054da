/** The thread in which documents are read (content/documents.ts). */
import { parentPort } from 'node:worker_threads';
import { readPdf } from './pdf.ts';

parentPort?.on('message', (data: Uint8Array) => {
  void readPdf(data).then((read) => parentPort?.postMessage(read));
});
