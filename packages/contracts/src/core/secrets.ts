import { type Static, Type } from '@sinclair/typebox';
import { Exact, NullableTimestamp, NullableUuid, Uuid } from './common.ts';
import { defineOperation } from './operation.ts';
import { KeyMark } from './processes.ts';

/** The services that store encrypted credentials. Each may have keys of its own. */
export const secretServices = ['scheduling', 'messaging', 'events', 'assistant'] as const;
export type SecretService = (typeof secretServices)[number];

const SealedCount = Type.Object({
  what: Type.String({ description: 'The table and the column, such as `channels.sealed_credentials`.' }),
  key_id: Type.String(),
  rows: Type.Integer(),
  expires_at: NullableTimestamp,
});
/** How many stored texts a key has sealed. With `expires_at` they are gone then by themselves, and are not sealed again. */
export type SealedCount = Static<typeof SealedCount>;

const Unreadable = Type.Object({ store_id: Uuid, what: Type.String(), key_id: Type.String() });

/** The operations that move stored credentials of a service to the first key of its processes. */
export const secretOperationsOf = <const Service extends SecretService>(service: Service) => ({
  count: defineOperation({
    subject: `${service}.admin.secrets.count`,
    access: 'platform',
    tenancy: 'none',
    summary: 'Count the stored credentials by the id of the key that sealed them',
    request: { body: Exact({}) },
    reply: Type.Object({
      key: KeyMark,
      counts: Type.Array(SealedCount),
    }),
  }),
  /**
   * Goes through stores in the order of their ids, for some seconds a call. Pass `next` as `after` to continue; it is null
   * at the end. A process whose first key is not `key` changes nothing and answers with its own.
   */
  reseal: defineOperation({
    subject: `${service}.admin.secrets.reseal`,
    access: 'platform',
    tenancy: 'none',
    summary: 'Encrypt stored credentials again with the first key',
    request: { body: Exact({ key: KeyMark, after: NullableUuid }) },
    reply: Type.Object({
      key: KeyMark,
      resealed: Type.Integer({ description: 'Texts that this call encrypted again.' }),
      unreadable: Type.Array(Unreadable, {
        description: 'Texts that no key of the process opens. They stay as they are.',
      }),
      next: NullableUuid,
    }),
  }),
});

export type SecretOperations = ReturnType<typeof secretOperationsOf>;
