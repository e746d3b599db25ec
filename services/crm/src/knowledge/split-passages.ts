/** Sizes in UTF-16 code units, near enough to characters. */
export const passageSize = { goal: 800, enough: 500, overlap: 150 } as const;

/** A text that is never cut: a sentence, or a part of a sentence that is longer than a passage. */
type Piece = { readonly start: number; readonly end: number; readonly opensParagraph: boolean };

/**
 * Cuts a text into passages of at most 800 characters. A passage begins with a paragraph if that fits, else with a
 * sentence. It repeats the end of the previous passage (whole sentences, at most 150 characters), so that a search
 * finds text across a cut. The passages contain everything except white space, in order.
 */
export function splitPassages(text: string): string[] {
  const passages: string[] = [];
  let open: Piece[] = [];
  const sizeWith = (piece: Piece) => piece.end - (open[0] ?? piece).start;
  const close = () => {
    const [first, last] = [open[0], open.at(-1)];
    if (first && last) passages.push(text.slice(first.start, last.end).trim());
  };
  let fresh = 0; // pieces of the open passage that do not repeat the previous one
  for (const piece of piecesOf(text)) {
    const tooLong = sizeWith(piece) > passageSize.goal;
    const goodBorder = piece.opensParagraph && sizeWith(piece) - (piece.end - piece.start) >= passageSize.enough;
    if (fresh > 0 && (tooLong || goodBorder)) {
      close();
      open = overlapOf(open, piece);
      fresh = 0;
    }
    open.push(piece);
    fresh += 1;
  }
  if (fresh > 0) close();
  return passages;
}

/** The last pieces that fit into the overlap and leave room for the next piece. */
function overlapOf(closed: readonly Piece[], next: Piece): Piece[] {
  const end = closed.at(-1)?.end ?? 0;
  const repeated = closed.filter(
    ({ start }) => end - start <= passageSize.overlap && next.end - start <= passageSize.goal,
  );
  return repeated.length < closed.length ? repeated : [];
}

function* piecesOf(text: string): Generator<Piece> {
  const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' });
  for (const { 0: paragraph, index } of text.matchAll(/\S(?:.|\n(?![^\S\n]*\n))*/g)) {
    let opensParagraph = true;
    for (const { segment, index: offset } of sentences.segment(paragraph)) {
      for (const [start, end] of cut(segment)) {
        yield { start: index + offset + start, end: index + offset + end, opensParagraph };
        opensParagraph = false;
      }
    }
  }
}

/** Parts of at most a passage's size, cut after white space if there is any, never inside a surrogate pair. */
function* cut(segment: string): Generator<[start: number, end: number]> {
  let start = 0;
  while (segment.length - start > passageSize.goal) {
    const space = segment.slice(start, start + passageSize.goal).search(/\s\S*$/);
    let end = start + (space > 0 ? space + 1 : passageSize.goal);
    if (/[\uD800-\uDBFF]/.test(segment[end - 1] ?? '')) end -= 1;
    yield [start, end];
    start = end;
  }
  if (segment.slice(start).trim() !== '') yield [start, segment.length];
}
