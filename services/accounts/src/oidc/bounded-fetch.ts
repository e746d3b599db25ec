import type { Egress } from '@mostrador/kit/clients/egress';
import type { CustomFetch } from 'openid-client';

/** What a provider says about itself, its keys and its tokens are some kilobytes. */
const maxAnswerBytes = 256 * 1024;

/** Requests to the provider, whose answers end at a size. */
export const boundedFetch =
  (egress: Egress): CustomFetch =>
  async (url, options) => {
    const { status, headers, body } = await egress.fetch(url, options as RequestInit);
    return new Response(body && (await readAll(body)), { status, headers: [...headers] });
  };

async function readAll(body: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) throw new TypeError('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
