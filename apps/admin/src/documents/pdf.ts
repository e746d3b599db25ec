import { greatestDocumentBytes } from '@mostrador/contracts';
import { getDocumentProxy } from 'unpdf';
import { DocumentFault, type Extracted } from './document-fault.ts';

const mostPages = 2_000;

export async function pdf(bytes: Uint8Array): Promise<Extracted> {
  if (!Buffer.from(bytes.subarray(0, 1024)).includes('%PDF-')) throw new DocumentFault('is not a PDF');
  const document = await open(bytes);
  if (document.numPages > mostPages) throw new DocumentFault(`has more than ${mostPages} pages`);
  const pages: string[] = [];
  let bytesSoFar = 0;
  for (let number = 1; number <= document.numPages; number += 1) {
    const text = await pageText(document, number);
    bytesSoFar += Buffer.byteLength(text);
    pages.push(text);
    // Whoever asks refuses it anyway: the rest need not be read.
    if (bytesSoFar > greatestDocumentBytes * 2) break;
  }
  const text = pages.join('\n\n');
  if (text.trim() === '')
    throw new DocumentFault('has no text in it: its pages may be pictures, as a scanner makes them');
  return { title: undefined, text };
}

async function open(bytes: Uint8Array) {
  try {
    // A copy: PDF.js takes the buffer for its own. Quiet: it would write warnings to standard output.
    return await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
  } catch (error) {
    const name = (error as Error).name;
    throw new DocumentFault(
      name === 'PasswordException' ? 'is locked with a password' : 'is not a PDF that can be read',
    );
  }
}

async function pageText(document: Awaited<ReturnType<typeof getDocumentProxy>>, number: number): Promise<string> {
  try {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    page.cleanup();
    // Fonts without a table of their characters give NUL and the like.
    const text = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('');
    return text.replaceAll('\0', '').toWellFormed();
  } catch {
    throw new DocumentFault(`is broken: page ${number} cannot be read`);
  }
}
