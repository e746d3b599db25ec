import { convert } from 'html-to-text';
import type { Extracted } from './document-fault.ts';
import { decode } from './plain-text.ts';

export async function html(bytes: Uint8Array): Promise<Extracted> {
  const source = decode(bytes, declaredEncoding(bytes));
  const title = convert(source, {
    wordwrap: false,
    baseElements: { selectors: ['title'], returnDomByDefault: false },
  });
  const text = convert(source, {
    wordwrap: false,
    limits: { maxDepth: 500 },
    selectors: [
      { selector: 'a', options: { ignoreHref: true } },
      { selector: 'img', format: 'skip' },
      { selector: 'nav', format: 'skip' },
      { selector: 'noscript', format: 'skip' },
      { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false } },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    ],
  });
  return { title, text };
}

/** The encoding of `<meta charset>`, or UTF-8 when it is missing or unknown. */
function declaredEncoding(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, 2048)).toString('latin1');
  const named = /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(head)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(named).encoding;
  } catch {
    return 'utf-8';
  }
}
