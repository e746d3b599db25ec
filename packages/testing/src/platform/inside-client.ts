import { randomUUID } from 'node:crypto';
import type { Operation, ReplyOf, RequestOf } from '@mostrador/contracts';
import { createLog } from '@mostrador/kit/process/log';
import { createRpcClient } from '@mostrador/kit/rpc/client';
import { connectNats } from '@mostrador/kit/rpc/nats';

/** Calls an operation over NATS, as the admin command does. */
export type InsideCall = <O extends Operation>(
  operation: O,
  request: RequestOf<O>,
  storeId?: string,
) => Promise<ReplyOf<O>>;

const callLimitMs = 15_000;

/** Runs `work` with an RPC client of the platform. The NATS user in `url` must have permission for its calls. */
export async function withInsideClient<T>(url: string, work: (call: InsideCall) => Promise<T>): Promise<T> {
  const log = createLog({ service: 'test', level: 'silent', format: 'json' });
  const nats = await connectNats({ url, name: 'test', log });
  const rpc = createRpcClient({ nats, log });
  try {
    return await work((operation, request, storeId) =>
      rpc.call(operation, request, { requestId: randomUUID(), deadline: Date.now() + callLimitMs, storeId }),
    );
  } finally {
    await nats.close();
  }
}
