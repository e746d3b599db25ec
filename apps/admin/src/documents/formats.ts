import { DocumentFault, type Extracted } from './document-fault.ts';

/** Reads one kind of file. Each loads its library when it is first used: most runs need one of them. */
type Format = (bytes: Uint8Array) => Promise<Extracted>;

const formats: Readonly<Record<string, () => Promise<Format>>> = {
  '.txt': async () => (await import('./plain-text.ts')).plainText,
  '.md': async () => (await import('./plain-text.ts')).markdown,
  '.html': async () => (await import('./html.ts')).html,
  '.htm': async () => (await import('./html.ts')).html,
  '.pdf': async () => (await import('./pdf.ts')).pdf,
  '.docx': async () => (await import('./docx.ts')).docx,
};

export const extensions: readonly string[] = Object.keys(formats);

/** The text of a file of this kind. Throws DocumentFault. */
export async function extract(extension: string, bytes: Uint8Array): Promise<Extracted> {
  const load = formats[extension];
  if (!load) throw new DocumentFault(`is of a kind that is not read; these are: ${extensions.join(', ')}`);
  const read = await load();
  const { title, text } = await read(bytes);
  return { title: title?.replace(/\s+/g, ' ').trim() || undefined, text };
}
