import { DocumentFault, type Extracted } from './document-fault.ts';

/** Reads one file format. */
type Format = (bytes: Uint8Array) => Promise<Extracted>;

/** Each format loads its library at first use, because most runs need only one. */
const formats: Readonly<Record<string, () => Promise<Format>>> = {
  '.txt': async () => (await import('./plain-text.ts')).plainText,
  '.md': async () => (await import('./plain-text.ts')).markdown,
  '.html': async () => (await import('./html.ts')).html,
  '.htm': async () => (await import('./html.ts')).html,
  '.pdf': async () => (await import('./pdf.ts')).pdf,
  '.docx': async () => (await import('./docx.ts')).docx,
};

export const extensions: readonly string[] = Object.keys(formats);

/** Extracts the title and text of a file with this extension. Throws DocumentFault. */
export async function extract(extension: string, bytes: Uint8Array): Promise<Extracted> {
  const load = formats[extension];
  if (!load) throw new DocumentFault(`has an unsupported extension; supported are ${extensions.join(', ')}`);
  const read = await load();
  const { title, text } = await read(bytes);
  return { title: title?.replace(/\s+/g, ' ').trim() || undefined, text };
}
