import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Found } from './benchmark.ts';

/**
 * Writes what was found into the documentation: its part of performance.md, and beside it in performance/ the raw
 * numbers it was made from, and the drawing.
 */
export function publish(docs: string, { part, text, raw, drawing }: Found): void {
  const page = join(docs, 'performance.md');
  writeFileSync(page, replacePart(readFileSync(page, 'utf8'), part, text));
  const beside = join(docs, 'performance');
  mkdirSync(beside, { recursive: true });
  writeFileSync(join(beside, `${part}.json`), `${toJson(raw)}\n`);
  if (drawing !== undefined) writeFileSync(join(beside, `${part}.svg`), drawing);
}

/** The text with the named part, which stands between two comments, replaced. */
export function replacePart(text: string, name: string, content: string): string {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the page has no part ${begin} … ${end}`);
  return `${text.slice(0, from + begin.length)}\n\n${content}\n\n${text.slice(to)}`;
}

/** Maps as objects, and numbers to five figures: what is measured is not known to more. */
export const toJson = (raw: unknown): string =>
  JSON.stringify(
    raw,
    (_, value) => {
      if (value instanceof Map) return Object.fromEntries(value);
      return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;
    },
    1,
  );
