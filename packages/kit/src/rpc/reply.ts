import type { Operation } from '@mostrador/contracts/core';
import type { TSchema } from '@sinclair/typebox';
import fastJson from 'fast-json-stringify';
import type { ReplyHeaders } from './wire.ts';

/** A reply with headers, or with ready bytes. `T` is the type of the body. */
export class Reply<out T> {
  /** The body, unless the reply has `bytes`. */
  readonly body: T | undefined;
  readonly bytes: Uint8Array | undefined;
  readonly headers: ReplyHeaders;
  /** True for the stored answer of an earlier request with the same idempotency key. */
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

/** A reply whose bytes come from `serializeReply`. */
export function replyBytes(bytes: Uint8Array, headers: ReplyHeaders = {}): Reply<never> {
  return new Reply<never>({ bytes }, headers, false);
}

/** The stored bytes of an earlier reply, sent with `Idempotent-Replay: true`. */
export function replay(bytes: Uint8Array, headers: ReplyHeaders = {}): Reply<never> {
  return new Reply<never>({ bytes }, headers, true);
}

/** An answer that comes later. Meanwhile its slot in the request queue is free for another request. */
export class Later<out T> {
  readonly finish: () => Promise<T | Reply<T>>;

  constructor(finish: () => Promise<T | Reply<T>>) {
    this.finish = finish;
  }
}

/**
 * Answers with the result or the error of `finish`, or with `upstream_timeout` at the request's deadline. Use it only
 * for waiting, which costs nothing; the handler must limit how many requests wait. When `context.closing` is aborted,
 * `finish` must stop waiting and answer what is known.
 */
export function later<T>(finish: () => Promise<T | Reply<T>>): Later<T> {
  return new Later(finish);
}

const serializers = new WeakMap<TSchema, (body: unknown) => string>();

/** The JSON bytes of a reply, without members that its schema does not have. */
export function serializeReply(operation: Operation, body: unknown): Buffer {
  let serialize = serializers.get(operation.reply);
  if (serialize === undefined) {
    serialize = fastJson(operation.reply as unknown as fastJson.Schema);
    serializers.set(operation.reply, serialize);
  }
  return Buffer.from(serialize(body), 'utf8');
}
