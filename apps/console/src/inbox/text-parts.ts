// The marks that WhatsApp shows: https://faq.whatsapp.com/539178204879377. No library reads them.

export type Mark = 'bold' | 'italic' | 'strike' | 'code';
export type Part =
  | string
  | { readonly mark: Mark; readonly parts: readonly Part[] }
  | { readonly link: string; readonly label: string };

// A mark begins after no letter or digit and before no space, and ends the other way round, in the same line.
const marks: readonly (readonly [mark: Mark, pattern: RegExp])[] = [
  ['bold', /(?<![\p{L}\p{N}])\*(?=\S)([^\n*]*[^\s*])\*(?![\p{L}\p{N}])/u],
  ['italic', /(?<![\p{L}\p{N}])_(?=\S)([^\n_]*[^\s_])_(?![\p{L}\p{N}])/u],
  ['strike', /(?<![\p{L}\p{N}])~(?=\S)([^\n~]*[^\s~])~(?![\p{L}\p{N}])/u],
];
const code = /```([\s\S]+?)```|`([^`\n]+)`/;
// Without what ends the sentence.
const address = /https?:\/\/[^\s<>"]*[^\s<>"'.,;:!?()[\]{}*_~]/i;

/** A text as people see it: with its marks and links. The parts together have all of its other characters. */
export function partsOf(text: string): readonly Part[] {
  return splitBy(
    text,
    code,
    ([, block, inline]) => ({ mark: 'code', parts: [block ?? inline ?? ''] }),
    (between) => splitBy(between, address, ([link]) => ({ link, label: link }), withMarks),
  );
}

const withMarks = (text: string): readonly Part[] => {
  const found = marks
    .map(([mark, pattern]) => ({ mark, match: pattern.exec(text) }))
    .filter((one): one is { mark: Mark; match: RegExpExecArray } => one.match !== null)
    .sort((one, other) => one.match.index - other.match.index);
  const [first] = found;
  if (!first) return text === '' ? [] : [text];
  const { mark, match } = first;
  const [whole, inner = ''] = match;
  const before = text.slice(0, match.index);
  return [
    ...(before === '' ? [] : [before]),
    { mark, parts: withMarks(inner) },
    ...withMarks(text.slice(match.index + whole.length)),
  ];
};

function splitBy(
  text: string,
  pattern: RegExp,
  toPart: (match: RegExpExecArray) => Part,
  other: (text: string) => readonly Part[],
): readonly Part[] {
  const parts: Part[] = [];
  let rest = text;
  for (let match = pattern.exec(rest); match; match = pattern.exec(rest)) {
    parts.push(...other(rest.slice(0, match.index)), toPart(match));
    rest = rest.slice(match.index + match[0].length);
  }
  return [...parts, ...other(rest)];
}
