/** Small PDFs for tests; PDF.js finds the objects of a file without a cross-reference table. */
import { deflateSync } from 'node:zlib';

export interface PdfPage {
  /** Lines from the top, 20 points apart; an empty one leaves a gap. */
  readonly lines?: readonly string[];
  readonly link?: string;
  readonly links?: readonly string[];
  /** Operators instead of lines, packed. */
  readonly stream?: Buffer;
}

export function makePdf(pages: readonly PdfPage[], title?: string): Buffer {
  const objects: Buffer[] = [];
  const add = (text: string): number => objects.push(Buffer.from(text, 'latin1'));
  add('<</Type/Catalog/Pages 2 0 R>>');
  add(
    `<</Type/Pages/Count ${String(pages.length)}/Kids[${pages.map((_, at) => `${String(5 + 2 * at)} 0 R`).join(' ')}]>>`,
  );
  add('<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>');
  add(title === undefined ? '<<>>' : `<</Title(${title})>>`);
  pages.forEach(({ lines = [], link, links = link === undefined ? [] : [link], stream }, at) => {
    const annotations = links
      .map((to) => `<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/URI/URI(${to})>>>>`)
      .join('');
    add(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents ${String(6 + 2 * at)} 0 R` +
        `/Resources<</Font<</F1 3 0 R>>>>${links.length === 0 ? '' : `/Annots[${annotations}]`}>>`,
    );
    const shown = lines
      .map((line, place) => `1 0 0 1 72 ${String(720 - 20 * place)} Tm (${line}) Tj`)
      .join('\n');
    const packed = deflateSync(stream ?? Buffer.from(`BT /F1 16 Tf\n${shown}\nET`, 'latin1'));
    const head = Buffer.from(`<</Length ${String(packed.length)}/Filter/FlateDecode>>stream\n`);
    objects.push(Buffer.concat([head, packed, Buffer.from('\nendstream')]));
  });
  return Buffer.concat([
    Buffer.from('%PDF-1.4\n'),
    ...objects.flatMap((object, at) => [
      Buffer.from(`${String(at + 1)} 0 obj`),
      object,
      Buffer.from('\nendobj\n'),
    ]),
    Buffer.from('trailer<</Root 1 0 R/Info 4 0 R>>\n'),
  ]);
}
