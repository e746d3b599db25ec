import type { Operation, ReplyOf, RequestOf } from '@mostrador/contracts';
import type { CallContext } from '@mostrador/kit/rpc/client';

/** Carries out an operation of the gateway, which merges the answers of services. The route has checked the caller. */
export type OwnHandler<O extends Operation> = (
  context: CallContext & { readonly storeId: string },
  request: RequestOf<O>,
) => Promise<ReplyOf<O>>;
