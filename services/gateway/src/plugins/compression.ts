import { pipeline, type Readable } from 'node:stream';
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
import { type ContentCoding, preferredCoding } from '../requests/content-coding.ts';
import { codedTag } from '../requests/entity-tags.ts';
import { addVary } from '../requests/headers.ts';

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface merges with the library's
  interface FastifyContextConfig {
    /** The route's address is a credential. */
    secretAddress?: boolean;
  }
}

/** Smaller responses fit into one packet, and compressing them costs more time than sending them. */
const leastBytes = 1024;

const compressible = /^(?:text\/|image\/svg\+xml|application\/(?:[\w.-]+\+)?(?:json|javascript|yaml)\b)/;

// The default quality of brotli, 11, is for files that are compressed once.
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const compress: Record<ContentCoding, (data: Buffer | string) => Promise<Buffer>> = {
  zstd: promisify(zstdCompress),
  br: (data) => promisify(brotliCompress)(data, brotliOptions),
  gzip: promisify(gzip),
};
const streams = {
  zstd: () => createZstdCompress(),
  br: () => createBrotliCompress(brotliOptions),
  gzip: () => createGzip(),
};

/**
 * Compresses responses of 1 KiB and more, if the client accepts it. A compressed response has its own strong ETag.
 *
 * The length of a compressed response tells a little about its content. So a response is compressed only where an
 * attacker cannot make somebody else's browser ask for it: behind a key in a header, or public. A route whose address is
 * the credential stays uncompressed.
 */
export function addCompression(app: FastifyInstance): void {
  app.addHook<unknown>('onSend', (request, reply, payload, done) => {
    if (request.routeOptions.config.secretAddress || !isCompressible(reply)) return done(null, payload);
    addVary(reply, 'Accept-Encoding');
    if (!isLarge(payload, reply)) return done(null, payload);
    const coding = preferredCoding(request.headers['accept-encoding']);
    if (coding === undefined) return done(null, payload);
    const send = (compressed: unknown) => {
      const etag = reply.getHeader('etag');
      // A weak tag may be that of several encodings.
      if (typeof etag === 'string' && etag.startsWith('"')) reply.header('etag', codedTag(etag, coding));
      reply.header('content-encoding', coding).removeHeader('content-length');
      done(null, compressed);
    };
    // A stream that fails destroys the response, with or without compression.
    if (isStream(payload)) return send(pipeline(payload, streams[coding](), () => {}));
    compress[coding](payload as string | Buffer).then(send, done);
  });
}

/** A 304 also varies, because its 200 would. A part of a file (206) is a range of the uncompressed bytes. */
function isCompressible(reply: FastifyReply): boolean {
  if (reply.statusCode === 304) return true;
  const type = reply.getHeader('content-type');
  return (
    reply.statusCode !== 206 &&
    typeof type === 'string' &&
    compressible.test(type) &&
    !reply.hasHeader('content-encoding')
  );
}

function isLarge(payload: unknown, reply: FastifyReply): boolean {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return Buffer.byteLength(payload) >= leastBytes;
  return isStream(payload) && Number(reply.getHeader('content-length') ?? leastBytes) >= leastBytes;
}

const isStream = (payload: unknown): payload is Readable =>
  typeof payload === 'object' && payload !== null && 'pipe' in payload;
