import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { docxOf, pdfOf } from '../../test/sample-documents.ts';
import { readDocument } from './read-document.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mostrador-documents-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (name: string, content: string | Uint8Array, limits?: Parameters<typeof readDocument>[1]) => {
  const file = join(folder, name);
  writeFileSync(file, content);
  return readDocument(file, limits);
};

test('plain text stays unchanged, with the name and title of its file', async () => {
  expect(await read('Horários 2027.txt', '\ufeff Olá,\r\nmundo \n')).toEqual({
    name: 'Horários 2027.txt',
    title: 'Horários 2027',
    content: 'Olá,\r\nmundo',
  });
  expect(await read('wide.TXT', Buffer.from('\ufeffOlá', 'utf16le'))).toMatchObject({ content: 'Olá', title: 'wide' });
});

test('Markdown keeps its marks, and its first heading is the title', async () => {
  expect(await read('a.md', 'Intro\n\n# Preços  e prazos #\n\n## Corte\n- R$ 80')).toMatchObject({
    title: 'Preços e prazos',
    content: expect.stringContaining('## Corte\n- R$ 80'),
  });
});

test('HTML yields its text in the declared encoding, without scripts, styles and navigation', async () => {
  const page = `<!doctype html><html><head><meta charset="windows-1252"><title>Trocas &amp; devolu\u00e7\u00f5es</title>
    <style>p{color:red}</style><script>alert(1)</script></head><body><nav>Menu</nav><h1>Trocas</h1>
    <p>At\u00e9 <b>30 dias</b>, com <a href="https://example.com">nota</a>.</p><ul><li>Um</li><li>Dois</li></ul></body></html>`;
  const { title, content } = await read('trocas.html', Buffer.from(page, 'latin1'));
  expect(title).toBe('Trocas & devoluções');
  expect(content).toMatch(/^Trocas\n+Até 30 dias, com nota\.\n+ \* Um\n \* Dois$/);
});

test('a PDF yields the text of all pages', async () => {
  const { title, content } = await read('tabela.pdf', pdfOf(['Corte: R$ 80\nBarba: R$ 40', 'Segunda p\u00e1gina']));
  expect(title).toBe('tabela');
  expect(content).toMatch(/^Corte: R\$ 80\nBarba: R\$ 40\n+Segunda página$/);
});

test('a DOCX yields its paragraphs', async () => {
  const { content } = await read('guia.docx', docxOf(['Olá &amp; bem-vindo', 'Segundo parágrafo']));
  expect(content).toBe('Olá & bem-vindo\n\nSegundo parágrafo');
});

test.each<[string, string, string | Uint8Array, RegExp]>([
  ['an empty file', 'a.txt', '', /^is empty$/],
  ['only white space', 'a.md', ' \n\t ', /^has no text in it$/],
  ['HTML without text', 'a.html', '<html><body><script>1</script></body></html>', /^has no text in it$/],
  ['text that is not UTF-8', 'a.txt', Buffer.from('Olá', 'latin1'), /^is not text in UTF-8; save it as UTF-8$/],
  ['a NUL character in text', 'a.txt', 'a\0b', /NUL/],
  ['an unsupported extension', 'a.xlsx', 'x', /supported are \.txt, \.md, \.html/],
  ['a file without an extension', 'README', 'x', /unsupported extension/],
  ['a PDF that is plain text', 'a.pdf', 'Just a text.', /^is not a PDF$/],
  ['a PDF that is cut off', 'a.pdf', pdfOf(['text']).subarray(0, 60), /^is not a readable PDF$/],
  ['a PDF of pictures', 'a.pdf', pdfOf(['']), /no text in it; run text recognition/],
  ['a DOCX that is no archive', 'a.docx', 'PK but not really', /^is not a DOCX document$/],
  ['a DOCX that is cut off', 'a.docx', docxOf(['text']).subarray(0, 300), /^is not a DOCX document$/],
  ['a DOCX without a paragraph', 'a.docx', docxOf([]), /^has no text in it$/],
  ['a DOCX whose XML is broken', 'a.docx', docxOf(['</w:p><']), /is not a readable DOCX document$/],
  ['more than 128 KiB of text', 'a.txt', 'x'.repeat(131_073), /^has more than 128 KiB of text/],
  [
    'a PDF with more than 128 KiB of text',
    'a.pdf',
    pdfOf(Array(140).fill('word word word word word\n'.repeat(40))),
    /more than 128 KiB of text/,
  ],
  ['more than 20 MiB', 'a.txt', Buffer.alloc(20 * 1024 ** 2 + 1, 'x'), /^is larger than 20 MiB$/],
  [
    'a DOCX that unpacks to more than 64 MiB',
    'a.docx',
    docxOf(['text'], { 'word/footnotes.xml': Buffer.alloc(65 * 1024 ** 2) }),
    /^unpacks to more than 64 MiB$/,
  ],
])('%s is rejected with the reason', async (_, name, content, why) => {
  await expect(read(name, content)).rejects.toThrow(why);
});

test('unpacking a DOCX stops at the size that its directory states', async () => {
  const bomb = docxOf(['text'], { 'word/extra.xml': Buffer.alloc(8 * 1024 ** 2, '<') });
  // Changes the unpacked size in the archive's directory from 8 MiB to one byte.
  const size = Buffer.alloc(4);
  size.writeUInt32LE(8 * 1024 ** 2);
  for (let place = bomb.indexOf(size); place >= 0; place = bomb.indexOf(size)) bomb.writeUInt32LE(1, place);
  await expect(read('lie.docx', bomb)).resolves.toMatchObject({ content: 'text' });
});

test('exactly 128 KiB of text is accepted', async () => {
  expect((await read('full.txt', 'x'.repeat(131_072))).content).toHaveLength(131_072);
});

test('reading stops when a file takes too long or too much memory', async () => {
  const bomb = pdfOf(['x'], deflateSync(Buffer.alloc(192 * 1024 ** 2, '(x) Tj '), { level: 1 }));
  await expect(read('bomb.pdf', bomb, { timeMs: 30_000, memoryBytes: 128 * 1024 ** 2 })).rejects.toThrow(
    'takes too much memory to read',
  );
  await expect(read('slow.txt', 'x', { timeMs: 1, memoryBytes: 1024 ** 3 })).rejects.toThrow(
    'takes longer than 0.001 s to read',
  );
}, 60_000);

test('a missing file and a folder are rejected', async () => {
  await expect(readDocument(join(folder, 'nowhere.txt'))).rejects.toThrow('does not exist');
  await expect(readDocument(join(folder, '..', 'x.txt', '..'))).rejects.toThrow();
});
