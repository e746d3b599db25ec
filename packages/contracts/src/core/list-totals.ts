import { Type } from '@sinclair/typebox';
import { Exact, NullableUuid, Uuid } from './common.ts';
import { defineOperation } from './operation.ts';

/** The services whose lists have totals. */
export const listServices = ['crm', 'scheduling', 'messaging', 'events'] as const;
export type ListService = (typeof listServices)[number];

/** Which stores: one, or all whose totals are built, in the order of their ids, beginning after `after`. */
const Stores = Exact({ store_id: NullableUuid, after: NullableUuid });

const walked = {
  stores: Type.Integer({ description: 'Number of stores that this call went through.' }),
  left: Type.Integer({ description: 'Number of stores after them.' }),
  next: NullableUuid,
};

/** Compares totals with the rows, for some seconds per call. Pass `next` as `after` to continue; it is null at the end. */
export const defineTotalsVerification = (service: ListService) =>
  defineOperation({
    subject: `${service}.admin.list-totals.verify`,
    access: 'platform',
    tenancy: 'none',
    summary: 'Compare the totals of lists with a recount of their rows',
    request: { body: Stores },
    reply: Type.Object({
      ...walked,
      wrong: Type.Array(
        Type.Object({
          store_id: Uuid,
          list: Type.String(),
          status: Type.Union([Type.String(), Type.Null()]),
          owner: NullableUuid,
          is: Type.Integer(),
          should_be: Type.Integer(),
        }),
        { description: 'At most 100 of each store. Without a status and an owner, rows that have none.' },
      ),
    }),
  });

/** Replaces totals by a recount, for some seconds per call, as `defineTotalsVerification`. Requests wait for nothing. */
export const defineTotalsRebuild = (service: ListService) =>
  defineOperation({
    subject: `${service}.admin.list-totals.rebuild`,
    access: 'platform',
    tenancy: 'none',
    summary: 'Count the rows of lists again',
    request: { body: Stores },
    reply: Type.Object(walked),
  });

/** The list operations of a service. The services differ only in their subjects. */
export type ListTotalOperations = {
  readonly verify: ReturnType<typeof defineTotalsVerification>;
  readonly rebuild: ReturnType<typeof defineTotalsRebuild>;
};
