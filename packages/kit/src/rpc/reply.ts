import type { Operation } from '@mostrador/contracts/core';
import type { TSchema } from '@sinclair/typebox';
import fastJson from 'fast-json-stringify';
import type { ReplyHeaders } from './wire.ts';

/** A reply with headers, or one whose bytes are there already. `T` is the body's type. */
export class Reply<out T> {
  /** The body, unless `bytes` is it. */
  readonly body: T | undefined;
  readonly bytes: Uint8Array | undefined;
  readonly headers: ReplyHeaders;
  /** The answer to an earlier request with the same idempotency key. */
  readonly replayed: boolean;

  constructor(content: { body: T } | { bytes: Uint8Array }, headers: ReplyHeaders, replayed: boolean) {
    this.body = 'body' in content ? content.body : undefined;
    this.bytes = 'bytes' in content ? content.bytes : undefined;
    this.headers = headers;
    this.replayed = replayed;
  }
}

/** A reply with an ETag or a cursor. */
export function reply<T>(body: T, headers: ReplyHeaders = {}): Reply<T> {
  return new Reply({ body }, headers, false);
}

/** A reply whose bytes `serializeReply` has made already. */
export function replyBytes(bytes: Uint8Array, headers: ReplyHeaders = {}): Reply<never> {
  return new Reply<never>({ bytes }, headers, false);
}

/** The stored bytes of an earlier reply; goes out with `Idempotent-Replay: true`. */
export function replay(bytes: Uint8Array, headers: ReplyHeaders = {}): Reply<never> {
  return new Reply<never>({ bytes }, headers, true);
}

/** An answer that comes later, while the handler's place in its queue is free for another request. */
export class Later<out T> {
  readonly finish: (closing: AbortSignal) => Promise<T | Reply<T>>;

  constructor(finish: (closing: AbortSignal) => Promise<T | Reply<T>>) {
    this.finish = finish;
  }
}

/**
 * Answers with what `finish` resolves to, or with its error, at the request's deadline at the latest. For waiting, which
 * costs nothing; how many may wait at once is for the handler to bound. `closing` is aborted when the server drains:
 * then there is no time to wait for anything, and the answer is what is known.
 */
export function later<T>(finish: (closing: AbortSignal) => Promise<T | Reply<T>>): Later<T> {
  return new Later(finish);
}

const serializers = new WeakMap<TSchema, (body: unknown) => string>();

/** The JSON bytes of a reply, as its schema says: what the schema does not have does not leave. */
export function serializeReply(operation: Operation, body: unknown): Uint8Array {
  let serialize = serializers.get(operation.reply);
  if (serialize === undefined) {
    serialize = fastJson(operation.reply as unknown as fastJson.Schema);
    serializers.set(operation.reply, serialize);
  }
  return Buffer.from(serialize(body), 'utf8');
}
