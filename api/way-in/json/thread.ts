/** The thread in which large JSON bodies are read (../json-body.ts). */
import { parentPort } from 'node:worker_threads';
import { readJson } from './read.ts';

parentPort?.on('message', (bytes: Uint8Array) => parentPort?.postMessage(readJson(bytes)));
