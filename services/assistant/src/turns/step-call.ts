import type { CallContext } from '@mostrador/kit/rpc/client';

/** In which a step asks other services. */
export type StepCall = CallContext & { readonly storeId: string; readonly deadline: number };
