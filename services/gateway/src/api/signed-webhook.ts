import type { Readable } from 'node:stream';
import { receiveWebhook } from '@mostrador/contracts';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebhookBytes } from './webhook-bytes.ts';

export type WebhookOptions = {
  readonly rpc: RpcClient;
  readonly requestTimeoutMs: number;
  readonly bytes: WebhookBytes;
};

export type SignedWebhook = {
  /** With the parameter `channelId`. */
  readonly path: string;
  /** The header with the signature, in lower case. */
  readonly signatureHeader: string;
  /** The form of a signature. */
  readonly signatureForm: RegExp;
};

/** The most bytes of a payload (WhatsApp's own limit). */
const payloadLimit = 3 * 1024 * 1024;
const tooLarge = () =>
  new AppError('body_too_large', { detail: 'The webhook is larger than 3 MiB. Send it in smaller ones.' });
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Receives a provider's webhooks outside the API's prefix, because providers have no key. The signature over the raw bytes
 * authenticates a POST, so the gateway does not parse them. It responds as soon as messaging has stored them.
 *
 * Anybody can post here, so the gateway reads a body only if the address and the signature have the right form, and
 * rejects a webhook that does not fit into the memory for all webhooks.
 */
export function addSignedWebhook(
  app: FastifyInstance,
  { path, signatureHeader, signatureForm }: SignedWebhook,
  options: WebhookOptions,
): void {
  const signatureOf = ({ headers }: FastifyRequest): string => {
    const signature = headers[signatureHeader];
    if (typeof signature === 'string' && signatureForm.test(signature)) return signature;
    throw new AppError('webhook_refused', {
      detail: `The request is not signed. Send \`${titleCase(signatureHeader)}\`.`,
    });
  };
  // A separate scope, which accepts any media type as bytes.
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (request: FastifyRequest, payload: Readable) =>
      readPayload(request, payload, options.bytes),
    );
    scope.post(path, {
      onRequest: async (request) => {
        channelOf(request);
        signatureOf(request);
      },
      handler: async (request, reply) => {
        const payload = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        try {
          const body = {
            channel_id: channelOf(request),
            signature: signatureOf(request),
            payload_base64: payload.toString('base64'),
          };
          await options.rpc.call(receiveWebhook, { body }, webhookContext(request, options));
        } finally {
          options.bytes.giveBack(payload.length);
        }
        return reply.header('cache-control', 'no-store').send({ received: true });
      },
    });
  });
}

/** Reads a payload and counts its bytes as they arrive. The handler gives them back. */
async function readPayload({ headers }: FastifyRequest, payload: Readable, bytes: WebhookBytes): Promise<Buffer> {
  if (Number(headers['content-length']) > payloadLimit) throw tooLarge();
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    // The connection must survive a rejection, because it carries the response.
    for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
      if (length + chunk.length > payloadLimit) throw tooLarge();
      if (!bytes.take(chunk.length)) throw new AppError('service_unavailable', { retryAfterSeconds: 1 });
      length += chunk.length;
      chunks.push(chunk);
    }
  } catch (error) {
    bytes.giveBack(length);
    throw error;
  }
  return Buffer.concat(chunks);
}

const titleCase = (header: string): string => header.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());

export const webhookContext = ({ id, span }: FastifyRequest, { requestTimeoutMs }: WebhookOptions) => ({
  requestId: id,
  deadline: Date.now() + requestTimeoutMs,
  traceparent: span?.traceparent,
});

/** The channel in the address. Throws `webhook_refused` when it is not a UUID. */
export function channelOf({ params }: FastifyRequest): string {
  const { channelId = '' } = params as { channelId?: string };
  if (!uuid.test(channelId)) throw new AppError('webhook_refused', { detail: 'No channel has this address.' });
  return channelId;
}
