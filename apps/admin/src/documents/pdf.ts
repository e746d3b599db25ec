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
    // The caller rejects a document of this size, so the other pages need not be read.
    if (bytesSoFar > greatestDocumentBytes * 2) break;
  }
  const text = pages.join('\n\n');
  if (text.trim() === '')
    throw new DocumentFault('has no text in it; run text recognition (OCR) on scanned pages first');
  return { title: undefined, text };
}

async function open(bytes: Uint8Array) {
  try {
    // PDF.js takes ownership of the buffer, so it gets a copy. It would also write warnings to standard output.
    return await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
  } catch (error) {
    const name = (error as Error).name;
    throw new DocumentFault(
      name === 'PasswordException' ? 'is protected by a password; remove the password' : 'is not a readable PDF',
    );
  }
}

async function pageText(document: Awaited<ReturnType<typeof getDocumentProxy>>, number: number): Promise<string> {
  try {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    page.cleanup();
    // Fonts without a character map yield NUL characters and lone surrogates.
    const text = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('');
    return text.replaceAll('\0', '').toWellFormed();
  } catch {
    throw new DocumentFault(`is broken: page ${number} cannot be read`);
  }
}
