import { createHash, hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import {
  changeSandboxMessage,
  describeSandbox,
  getStore,
  handOverSandbox,
  type Operation,
  type ReplyOf,
  type RequestOf,
  readSandboxConversation,
  receiveSandboxMessage,
  reportSandboxReceipts,
} from '@mostrador/contracts';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import { AppError, validationFailed } from '@mostrador/kit/rpc/errors';
import { validateRequest } from '@mostrador/kit/rpc/validate';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createTokenBuckets } from '../plugins/token-bucket.ts';

const page = '/sandbox/:token';
const secret = { config: { secretAddress: true } };
const storeLimitMs = 2_000;
const mostTelephones = 10_000;
type Params = { Params: { token: string } };
type Posted =
  | typeof receiveSandboxMessage
  | typeof changeSandboxMessage
  | typeof handOverSandbox
  | typeof reportSandboxReceipts;

/** What the page shows of the store and of its customers. */
type About = {
  /** Null while a service that knows it is down. */
  readonly store: { readonly name: string; readonly locale: string } | null;
  readonly customers: ReplyOf<typeof describeSandbox>['customers'];
};

/**
 * Serves the sandbox telephone: a page on which anyone with its address writes to the store as a customer, and the data
 * for that page. The secret address is the only credential, so the routes are outside the API's prefix, and no log
 * contains the address.
 */
export async function addSandbox(
  app: FastifyInstance,
  options: { rpc: RpcClient; requestTimeoutMs: number; writesPerMinute: number },
): Promise<void> {
  const { rpc, requestTimeoutMs, writesPerMinute } = options;
  const writes = createTokenBuckets({ maximumKeys: mostTelephones });
  const html = await readFile(new URL('./telephone.html', import.meta.url), 'utf8');
  const contentSecurityPolicy = policyOf(html);
  const contextOf = ({ id, span }: FastifyRequest) => ({
    requestId: id,
    deadline: Date.now() + requestTimeoutMs,
    traceparent: span?.traceparent,
  });

  app.get<Params>(page, secret, async (_request, reply) =>
    reply
      .headers({
        'content-security-policy': contentSecurityPolicy,
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-cache',
      })
      .type('text/html; charset=utf-8')
      .send(html),
  );

  app.get<Params>(
    `${page}/messages`,
    secret,
    async (request, reply): Promise<ReplyOf<typeof readSandboxConversation>> => {
      const { customer_phone } = request.query as Record<string, string>;
      const body = { token: tokenOf(request.params), customer_phone: customer_phone ?? '' };
      reply.header('cache-control', 'no-store');
      return await rpc.call(readSandboxConversation, { body }, contextOf(request));
    },
  );

  const addPost = (path: string, operation: Posted) =>
    app.post<Params>(`${page}/${path}`, secret, async (request, reply) => {
      reply.header('cache-control', 'no-store');
      const asked = toRequest(operation, request);
      const key = `${path} ${hash('sha256', request.params.token, 'base64')}`;
      const { allowed, retryAfterSeconds } = writes.take(key, writesPerMinute, performance.now());
      if (!allowed) throw new AppError('quota_exceeded', { retryAfterSeconds });
      return await rpc.call(operation, asked, contextOf(request));
    });
  addPost('messages', receiveSandboxMessage);
  addPost('changes', changeSandboxMessage);
  addPost('handovers', handOverSandbox);
  addPost('receipts', reportSandboxReceipts);

  app.get<Params>(`${page}/about`, secret, async (request, reply): Promise<About> => {
    reply.header('cache-control', 'no-store');
    const context = contextOf(request);
    const body = { token: tokenOf(request.params) };
    const { store_id, customers } = await rpc.call(describeSandbox, { body }, context);
    // The page works without the store's name, so a service that is down or slow must not take the telephone away.
    const deadline = Math.min(context.deadline, Date.now() + storeLimitMs);
    const store = await rpc.call(getStore, {}, { ...context, storeId: store_id, deadline }).catch(() => null);
    return { store: store && { name: store.name, locale: store.locale }, customers };
  });
}

/** The request to messaging. Anyone may post here, so messaging gets only valid ones. */
function toRequest<O extends Operation>(operation: O, request: FastifyRequest<Params>): RequestOf<O> {
  const posted = request.body;
  if (typeof posted !== 'object' || posted === null || Array.isArray(posted)) {
    throw validationFailed([{ pointer: '#', detail: 'must be an object' }]);
  }
  const body = { ...posted, token: tokenOf(request.params) };
  // Validation trims texts, so it gets a copy.
  const faults = validateRequest(operation, { body: { ...body } });
  if (faults.length > 0) throw validationFailed(faults);
  return { body } as RequestOf<O>;
}

function tokenOf({ token }: { token: string }): string {
  if (token.length < 20 || token.length > 100) throw new AppError('sandbox_not_found');
  return token;
}

/** The page may use only its own script and style, and call only its own origin. */
function policyOf(html: string): string {
  const hashOf = (element: string) => {
    const [, content = ''] = new RegExp(`<${element}>(.*?)</${element}>`, 's').exec(html) ?? [];
    return `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
  };
  return [
    "default-src 'none'",
    `script-src ${hashOf('script')}`,
    `style-src ${hashOf('style')}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
