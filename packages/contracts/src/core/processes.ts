import { type Static, Type } from '@sinclair/typebox';
import { NullableTimestamp, Timestamp } from './common.ts';

/** Every running process answers a message on this NATS subject with its `ProcessDescription`. */
export const rollCallSubject = 'processes.describe';

/** An encryption key without the key: two keys with one id have different fingerprints. */
export const KeyMark = Type.Object({
  id: Type.String(),
  fingerprint: Type.String({ description: '12 hexadecimal digits, derived from the key.' }),
});
export type KeyMark = Static<typeof KeyMark>;

/** What a process says about itself. It contains no addresses and no secrets. */
export const ProcessDescription = Type.Object({
  process: Type.String({ description: 'A process of the platform, or a service of this deployment alone.' }),
  instance: Type.String({ description: 'Its host and its process id: `host:pid`.' }),
  version: Type.String(),
  started_at: Timestamp,
  now: Timestamp,
  ready: Type.Boolean(),
  checks: Type.Array(
    Type.Object({
      name: Type.String({ description: 'As in `/readyz`.' }),
      state: Type.Union([Type.Literal('up'), Type.Literal('down')]),
      detail: Type.String({ description: 'What is wrong, then what to do. Empty: nothing.' }),
      since: NullableTimestamp,
    }),
  ),
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description: 'What is wrong although the process is ready, as in `/readyz`. A process of 0.2.0 leaves it out.',
    }),
  ),
  keys: Type.Array(KeyMark, { description: 'Its encryption keys. The first one seals. Empty: it has none.' }),
});
export type ProcessDescription = Static<typeof ProcessDescription>;
