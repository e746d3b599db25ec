import { type Static, Type } from '@sinclair/typebox';
import { Exact, Timestamp, Uuid } from './common.ts';
import { defineOperation } from './operation.ts';

const FenceReply = Type.Object({
  held: Type.Integer({ description: 'Rows that this call held.' }),
  waiting: Type.Integer({ description: 'Rows that a fence holds now and that wait for an operator.' }),
  first: Type.Array(Type.Object({ store_id: Uuid, id: Uuid }), { description: 'At most 200 of them.' }),
  events: Type.Integer({
    description: 'Calendar events that are compared with their appointments because of this call.',
  }),
});

/** Holds what a service may have sent after the moment of a restore. Repeatable: the same moment holds nothing more. */
export const defineFence = (service: 'messaging' | 'scheduling' | 'assistant') =>
  defineOperation({
    subject: `${service}.admin.restore.fence`,
    access: 'platform',
    tenancy: 'none',
    summary: 'Hold what may have been sent after the moment to which the database was restored',
    request: {
      body: Exact({
        since: Timestamp,
        dry_run: Type.Optional(Type.Boolean({ description: 'Count, and change nothing.' })),
      }),
    },
    reply: FenceReply,
  });

/** What a fence did in one store. */
export type FencedStore = {
  readonly storeId: string;
  readonly held: number;
  readonly events: number;
  readonly waiting: readonly { readonly id: string }[];
};

const listedAtMost = 200;

/** The reply of a fence. */
export function toFenceReply(stores: readonly FencedStore[]): Static<typeof FenceReply> {
  const sum = (count: (store: FencedStore) => number) => stores.reduce((total, store) => total + count(store), 0);
  return {
    held: sum(({ held }) => held),
    waiting: sum(({ waiting }) => waiting.length),
    first: stores
      .flatMap(({ storeId, waiting }) => waiting.map(({ id }) => ({ store_id: storeId, id })))
      .slice(0, listedAtMost),
    events: sum(({ events }) => events),
  };
}
