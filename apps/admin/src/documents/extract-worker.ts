import { parentPort, workerData } from 'node:worker_threads';
import { DocumentFault } from './document-fault.ts';
import { extract } from './formats.ts';
import type { ExtractionAnswer, ExtractionRequest } from './read-document.ts';

const { extension, bytes } = workerData as ExtractionRequest;
const answer: ExtractionAnswer = await extract(extension, bytes).catch((error: unknown) => ({
  fault: error instanceof DocumentFault ? error.message : 'cannot be read',
}));
parentPort?.postMessage(answer);
