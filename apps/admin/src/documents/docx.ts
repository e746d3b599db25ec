import { type Unzipped, unzipSync, zipSync } from 'fflate';
import mammoth from 'mammoth';
import { DocumentFault, type Extracted } from './document-fault.ts';

/** A document with 128 KiB of text, the most that is accepted, has a few MB of XML. */
const greatestUnpackedBytes = 64 * 1024 * 1024;

export async function docx(bytes: Uint8Array): Promise<Extracted> {
  const parts = unpack(bytes);
  if (!parts['[Content_Types].xml'] || !Object.keys(parts).some((name) => /^word\/.*\.xml$/.test(name))) {
    throw new DocumentFault('is not a DOCX document');
  }
  // Packs the parts again, uncompressed. So mammoth unpacks nothing itself and cannot exceed the size limit.
  const bounded = Buffer.from(zipSync(parts, { level: 0 }));
  try {
    const { value } = await mammoth.extractRawText({ buffer: bounded });
    if (value.trim() === '') throw new DocumentFault('has no text in it');
    return { title: undefined, text: value.replaceAll('\0', '') };
  } catch (error) {
    throw error instanceof DocumentFault ? error : new DocumentFault('is not a readable DOCX document');
  }
}

/** Unpacks the XML parts. Sizes come from the archive's directory, and fflate unpacks no byte more than they say. */
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
