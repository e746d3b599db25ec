import { AppError } from '@mostrador/kit/rpc/errors';
import { apiKeyForm, hasHash } from '@mostrador/kit/tokens/token';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Caller, isValid } from '../access/access.ts';
import type { AccessDirectory } from '../access/access-directory.ts';
import type { KeyUsage } from '../access/key-usage.ts';
import { sentTwice } from '../http/headers.ts';

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface merges with the library's
  interface FastifyRequest {
    /** Who calls, and what they may do. A first hook below the prefix of the API, or of the console, sets it. */
    access: Caller;
  }
}

/** Rejects every request of this scope without a valid key: 401. */
export function addAuth(api: FastifyInstance, options: { directory: AccessDirectory; usage: KeyUsage }): void {
  const { directory, usage } = options;
  api.decorateRequest('access');
  api.addHook('onRequest', async (request) => {
    const apiKey = readApiKey(request);
    const keyId = apiKeyForm.idOf(apiKey);
    const access = keyId === undefined ? null : await directory.lookUp(keyId);
    // The same error for all of these, so that a caller who guesses keys learns nothing.
    if (!access || !hasHash(apiKey, access.keyHash) || !isValid(access, Date.now()))
      throw new AppError('invalid_api_key');
    usage.used(access.callerId);
    request.access = access;
  });
}

function readApiKey(request: FastifyRequest): string {
  const header = request.headers['x-api-key'];
  if (typeof header !== 'string' || header === '') throw new AppError('missing_api_key');
  if (header.includes(',') && sentTwice(request.raw.rawHeaders, 'x-api-key')) {
    throw new AppError('invalid_api_key', { detail: 'The request has more than one `X-API-Key` header. Send one.' });
  }
  return header;
}
