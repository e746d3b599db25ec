import { type Unzipped, unzipSync, zipSync } from 'fflate';
import mammoth from 'mammoth';
import { DocumentFault, type Extracted } from './document-fault.ts';

/** A document of 128 KiB of text has a few MB of XML around it. */
const greatestUnpackedBytes = 64 * 1024 * 1024;

export async function docx(bytes: Uint8Array): Promise<Extracted> {
  const parts = unpack(bytes);
  if (!parts['[Content_Types].xml'] || !Object.keys(parts).some((name) => /^word\/.*\.xml$/.test(name))) {
    throw new DocumentFault('is not a DOCX document');
  }
  // Packed again without compression: the library sees only what was unpacked within the bounds.
  const bounded = Buffer.from(zipSync(parts, { level: 0 }));
  try {
    const { value } = await mammoth.extractRawText({ buffer: bounded });
    if (value.trim() === '') throw new DocumentFault('has no text in it');
    return { title: undefined, text: value.replaceAll('\0', '') };
  } catch (error) {
    throw error instanceof DocumentFault ? error : new DocumentFault('is not a DOCX document that can be read');
  }
}

/** The XML parts. Sizes are what the file says of itself, and fflate unpacks no byte more than that. */
function unpack(bytes: Uint8Array): Unzipped {
  let unpackedBytes = 0;
  const isWanted = ({ name, originalSize }: { name: string; originalSize: number }) => {
    if (!/\.(xml|rels)$/.test(name)) return false;
    unpackedBytes += originalSize;
    if (unpackedBytes > greatestUnpackedBytes) {
      throw new DocumentFault(`unpacks to more than ${greatestUnpackedBytes / 1024 ** 2} MiB`);
    }
    return true;
  };
  try {
    return unzipSync(bytes, { filter: isWanted });
  } catch (error) {
    throw error instanceof DocumentFault ? error : new DocumentFault('is not a DOCX document');
  }
}
