import { pipeline, Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  zstdCompress,
} from 'node:zlib';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type ContentCoding, preferredCoding } from '../http/content-coding.ts';
import { codedTag } from '../http/entity-tags.ts';
import { addVary } from '../http/headers.ts';

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface merges with the library's
  interface FastifyContextConfig {
    /** The route's address is a credential. */
    secretAddress?: boolean;
  }
}

/** Smaller responses fit into one packet, and compressing them costs more time than sending them. */
const leastBytes = 1024;

/** No `text/event-stream`: each event must leave at once. */
const compressible =
  /^(?:text\/(?!event-stream)|image\/svg\+xml|application\/(?:x-ndjson|(?:[\w.-]+\+)?(?:json|yaml))\b)/;

// The default quality of brotli, 11, is for files that are compressed once.
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
export const compress: Record<ContentCoding, (data: Buffer | string) => Promise<Buffer>> = {
  zstd: promisify(zstdCompress),
  br: (data) => promisify(brotliCompress)(data, brotliOptions),
  gzip: promisify(gzip),
};

const coders: Record<ContentCoding, () => Transform> = {
  zstd: createZstdCompress,
  br: () => createBrotliCompress(brotliOptions),
  gzip: createGzip,
};

/**
 * Compresses responses of 1 KiB and more, and streams of any length, if the client accepts it. A compressed response has
 * its own strong ETag.
 *
 * The length of a compressed response tells a little about its content. So a response is compressed only where an
 * attacker cannot make another person's browser ask for it: behind a key in a header, behind a session that only pages of
 * this address may use, or public. A route whose address is the credential stays uncompressed.
 */
export function addCompression(app: FastifyInstance): void {
  app.addHook<unknown>('onSend', (request, reply, payload, done) => {
    if (request.routeOptions.config.secretAddress || !isCompressible(reply)) return done(null, payload);
    addVary(reply, 'Accept-Encoding');
    const isStream = payload instanceof Readable;
    if (!isStream && !isLarge(payload)) return done(null, payload);
    const coding = preferredCoding(request.headers['accept-encoding']);
    if (coding === undefined) return done(null, payload);
    const send = (compressed: unknown) => {
      const etag = reply.getHeader('etag');
      // A weak tag may be that of several encodings.
      if (typeof etag === 'string' && etag.startsWith('"')) reply.header('etag', codedTag(etag, coding));
      reply.header('content-encoding', coding).removeHeader('content-length');
      done(null, compressed);
    };
    // Each of the two ends with the other, so the stream's error breaks off the response, and its reader sets the pace.
    if (isStream) send(pipeline(payload, coders[coding](), () => {}));
    else compress[coding](payload).then(send, done);
  });
}

/** A 304 also varies, because its 200 would. */
function isCompressible(reply: FastifyReply): boolean {
  if (reply.statusCode === 304) return true;
  const type = reply.getHeader('content-type');
  return typeof type === 'string' && compressible.test(type) && !reply.hasHeader('content-encoding');
}

const isLarge = (payload: unknown): payload is string | Buffer =>
  (typeof payload === 'string' || Buffer.isBuffer(payload)) && Buffer.byteLength(payload) >= leastBytes;
