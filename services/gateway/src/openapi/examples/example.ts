import type { Operation, ReplyOf, RequestOf } from '@mostrador/contracts';

/** A request of an operation, and the answer to it. */
export type Example<O extends Operation = Operation> = { readonly request: RequestOf<O>; readonly reply: ReplyOf<O> };

export type ExampleOfOperation = readonly [Operation, Example];

/** The types check that the example fits its operation. A test validates it, too. */
export const example = <O extends Operation>(
  operation: O,
  request: RequestOf<O>,
  reply: ReplyOf<O>,
): ExampleOfOperation => [operation, { request, reply }];

/** A list of one page. */
export const listOf = <Row>(data: Row[], limit = 50) => ({ data, total: data.length, page: 1, limit });
