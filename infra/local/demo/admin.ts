import { randomUUID } from 'node:crypto';
import type { Operation, ReplyOf, RequestOf } from '../../../packages/contracts/src/index.ts';
import type { RpcClient } from '../../../packages/kit/src/rpc/client.ts';

const requestTimeoutMs = 10_000;

/** Calls an admin operation. Throws an error that names the operation. */
export async function admin<O extends Operation>(
  rpc: RpcClient,
  operation: O,
  request: RequestOf<O>,
  storeId?: string,
): Promise<ReplyOf<O>> {
  const context = { requestId: randomUUID(), deadline: Date.now() + requestTimeoutMs, storeId };
  return rpc.call(operation, request, context).catch((cause: Error) => {
    throw new Error(`the demo data: ${operation.subject}: ${cause.message}`, { cause });
  });
}
