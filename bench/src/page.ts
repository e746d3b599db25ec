import { readFileSync, writeFileSync } from 'node:fs';

/** The text with the named part, which stands between two comments, replaced. */
export function replacePart(text: string, name: string, content: string): string {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the page has no part ${begin} … ${end}`);
  return `${text.slice(0, from + begin.length)}\n\n${content}\n\n${text.slice(to)}`;
}

export function writePart(file: string, name: string, content: string): void {
  writeFileSync(file, replacePart(readFileSync(file, 'utf8'), name, content));
}
