import { deflateSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';

/** A PDF with one page per text. `stream` replaces the drawing commands of every page. */
export function pdfOf(texts: readonly string[], stream?: Buffer): Buffer {
  const objects: (string | Buffer)[] = [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Count ${texts.length}/Kids[${texts.map((_, page) => `${4 + page * 2} 0 R`).join(' ')}]>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
  ];
  for (const [page, text] of texts.entries()) {
    objects.push(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F1 3 0 R>>>>/Contents ${5 + page * 2} 0 R>>`,
    );
    const lines = text.split('\n').map((line) => `(${line}) Tj T*`);
    const commands = stream ?? deflateSync(Buffer.from(`BT /F1 12 Tf 14 TL 50 700 Td ${lines.join(' ')} ET`, 'latin1'));
    objects.push(
      Buffer.concat([
        Buffer.from(`<</Length ${commands.length}/Filter/FlateDecode>>\nstream\n`),
        commands,
        Buffer.from('\nendstream'),
      ]),
    );
  }
  const parts = [Buffer.from('%PDF-1.7\n')];
  const places: number[] = [];
  let length = parts[0]?.length ?? 0;
  for (const [index, object] of objects.entries()) {
    const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')]);
    places.push(length);
    length += part.length;
    parts.push(part);
  }
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}` +
        `trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${length}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

/** A DOCX with these paragraphs, and with other files in the archive. */
export function docxOf(paragraphs: readonly string[], others: Record<string, Uint8Array> = {}): Buffer {
  const body = paragraphs.map((text) => `<w:p><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`).join('');
  const packageNs = 'http://schemas.openxmlformats.org/package/2006';
  const documentNs = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument';
  const main = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
  return Buffer.from(
    zipSync({
      '[Content_Types].xml': strToU8(
        `<Types xmlns="${packageNs}/content-types"><Default Extension="xml" ContentType="application/xml"/>` +
          `<Override PartName="/word/document.xml" ContentType="${main}"/></Types>`,
      ),
      '_rels/.rels': strToU8(
        `<Relationships xmlns="${packageNs}/relationships">` +
          `<Relationship Id="r1" Type="${documentNs}" Target="word/document.xml"/></Relationships>`,
      ),
      'word/document.xml': strToU8(
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">' +
          `<w:body>${body}</w:body></w:document>`,
      ),
      ...others,
    }),
  );
}
