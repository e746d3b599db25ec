import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Found } from './benchmark.ts';
import { headlineOf, textOf } from './report.ts';

/**
 * Writes the results: all of them and the raw numbers to `bench/figures`, and the headline to the page of the benchmark in
 * `docs/measurements`, if it has one.
 */
export function publish(root: string, { name, report, raw, drawing }: Found): void {
  const [figures, page] = [join(root, 'bench/figures', name), join(root, 'docs/measurements', name)];
  writeFileSync(`${figures}.md`, `# ${name}: all figures\n\n${textOf(report)}\n`);
  if (raw !== undefined) writeFileSync(`${figures}.json`, `${toJson(raw)}\n`);
  if (drawing !== undefined) writeFileSync(`${page}.svg`, drawing);
  if (existsSync(`${page}.md`)) {
    writeFileSync(`${page}.md`, replaceFigures(readFileSync(`${page}.md`, 'utf8'), headlineOf(report)));
  }
}

const [begin, end] = ['<!-- figures: begin -->', '<!-- figures: end -->'];

/** Replaces what stands between the two comments. Throws when the text does not have them. */
export function replaceFigures(text: string, content: string): string {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the page needs the comments ${begin} and ${end}`);
  return `${text.slice(0, from + begin.length)}\n\n${content}\n\n${text.slice(to)}`;
}

/** Writes maps as objects and numbers with five significant digits, because measurements are not more precise. */
export const toJson = (raw: unknown): string =>
  JSON.stringify(
    raw,
    (_, value) => {
      if (value instanceof Map) return Object.fromEntries(value);
      return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;
    },
    1,
  );
