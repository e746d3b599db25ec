import { parentPort, workerData } from 'node:worker_threads';
import type { Task } from './make-in-thread.ts';

async function referenceScript(): Promise<Buffer> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const { fastify } = await import('fastify');
  const app = fastify();
  app.register(scalar, { routePrefix: '/page', configuration: { url: '/openapi.json' } });
  const { statusCode, rawPayload } = await app.inject('/page/js/scalar.js');
  if (statusCode !== 200) throw new Error(`@scalar/fastify-api-reference has no script: ${statusCode}`);
  return rawPayload;
}

async function yaml(json: string): Promise<Buffer> {
  const { stringify } = await import('yaml');
  // Aliases would make the text depend on which of our objects are shared.
  return Buffer.from(stringify(JSON.parse(json), { aliasDuplicateObjects: false }));
}

const task = workerData as Task;
parentPort?.postMessage(await (task.make === 'yaml' ? yaml(task.json) : referenceScript()));
