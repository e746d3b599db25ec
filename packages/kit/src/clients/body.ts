/** Most answers that we read are some kilobytes. */
const usualBytes = 256 * 1024;

/** The body of an answer is larger than what is read. The rest was not read. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/** Collects the chunks of a body up to a size. */
export function collectBody(limitBytes: number) {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  return {
    /** Returns false when the body is larger than the limit. */
    add(chunk: Uint8Array): boolean {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      return bytes <= limitBytes;
    },
    /** What was collected, up to the limit. */
    read: (): Buffer<ArrayBuffer> => Buffer.concat(chunks).subarray(0, limitBytes),
  };
}

/** Reads a whole body, by default of at most 256 KiB. @throws BodyTooLarge */
export async function readBody(
  body: AsyncIterable<Uint8Array> | null,
  mostBytes = usualBytes,
): Promise<Buffer<ArrayBuffer>> {
  const collected = collectBody(mostBytes);
  // Leaving the loop cancels the rest of the body.
  for await (const chunk of body ?? []) if (!collected.add(chunk)) throw new BodyTooLarge('the answer is too large');
  return collected.read();
}
