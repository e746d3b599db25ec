import { DocumentFault, type Extracted } from './document-fault.ts';

export async function plainText(bytes: Uint8Array): Promise<Extracted> {
  return { title: undefined, text: decode(bytes) };
}

/** Returns the Markdown source unchanged. Its first heading is the title. */
export async function markdown(bytes: Uint8Array): Promise<Extracted> {
  const text = decode(bytes);
  return { title: /^#\s+(.+?)(?:\s+#+)?\s*$/m.exec(text)?.[1], text };
}

/** Decodes by the byte order mark, or else as `declared`. Throws DocumentFault when the bytes are not such text. */
export function decode(bytes: Uint8Array, declared = 'utf-8'): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : declared;
  let text: string;
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new DocumentFault(`is not text in ${encoding.toUpperCase()}; save it as UTF-8`);
  }
  if (text.includes('\0')) throw new DocumentFault('is not text: it contains NUL characters');
  return text;
}
