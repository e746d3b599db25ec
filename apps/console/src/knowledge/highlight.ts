const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

const decoded = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (entity, name: string) => entities[name] ?? entity);

export type Piece = { readonly text: string; readonly marked: boolean };

/** The pieces of a passage's `highlight`: escaped HTML whose only elements are `<mark>`. So no HTML reaches the page. */
export const piecesOf = (highlight: string): Piece[] =>
  highlight
    .split(/<\/?mark>/)
    .map((text, index) => ({ text: decoded(text), marked: index % 2 === 1 }))
    .filter(({ text }) => text !== '');
