import type { FastifyInstance } from 'fastify';
import { createPlatformDocument } from '../openapi/platform-document.ts';
import { accountRoutes, personRoutes } from '../routes/index.ts';

/** Serves the OpenAPI document of what people can do. It needs no session. */
export function addDocument(platform: FastifyInstance, { publicUrl }: { publicUrl: string }): void {
  const document = JSON.stringify(createPlatformDocument([...accountRoutes, ...personRoutes], { publicUrl }));
  platform.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(document));
}
