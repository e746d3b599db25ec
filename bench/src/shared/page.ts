import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Found } from './benchmark.ts';
import { headlineOf, textOf } from './report.ts';

/**
 * Writes the results: the median, minimum and maximum of every figure to `bench/figures`, and the headline to the page of
 * the benchmark in `docs/measurements`, if it has one.
 */
export function publish(root: string, { name, report, drawing }: Found): void {
  const [figures, page] = [join(root, 'bench/figures', name), join(root, 'docs/measurements', name)];
  writeFileSync(`${figures}.md`, `# ${name}: all figures\n\n${textOf(report)}\n`);
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
