export type Line = {
  readonly name: string;
  readonly dashed?: boolean;
  readonly points: readonly { readonly x: number; readonly y: number }[];
};

const width = 760;
const height = 360;
const plot = { left: 64, right: 560, top: 44, bottom: 312 };
/** Colours that people with colour blindness can distinguish (Okabe and Ito). */
const colours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7'];

/** Draws lines over two logarithmic axes as SVG. Lines whose names differ only after the comma share a colour. */
export function lineChart({ title, x, y, lines }: { title: string; x: string; y: string; lines: readonly Line[] }) {
  const points = lines.flatMap((line) => line.points);
  const across = axis(
    points.map((point) => point.x),
    plot.left,
    plot.right,
  );
  const up = axis(
    points.map((point) => point.y),
    plot.bottom,
    plot.top,
  );
  /** Every measured x value gets a label, because there are few. */
  const measured = [...new Set(points.map((point) => point.x))];
  const groups = [...new Set(lines.map(({ name }) => groupOf(name)))];
  const drawn = lines.map((line, index) => {
    const colour = colours[groups.indexOf(groupOf(line.name)) % colours.length];
    const dash = line.dashed ? ' stroke-dasharray="5 4"' : '';
    const path = line.points.map((point) => `${across.at(point.x)},${up.at(point.y)}`).join(' ');
    const labelY = plot.top + 8 + index * 18;
    return [
      `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"${dash}/>`,
      `<line x1="576" x2="604" y1="${labelY}" y2="${labelY}" stroke="${colour}" stroke-width="2"${dash}/>`,
      `<text x="610" y="${labelY + 4}">${escapeXml(line.name)}</text>`,
    ].join('\n');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeXml(title)}">
<style>
  text { font: 12px sans-serif; fill: #222 }
  .grid { stroke: #ddd }
  @media (prefers-color-scheme: dark) { text { fill: #ddd } .grid { stroke: #444 } }
</style>
<text x="${plot.left}" y="22" style="font-size: 15px">${escapeXml(title)}</text>
${measured.map((tick) => `<line class="grid" x1="${across.at(tick)}" x2="${across.at(tick)}" y1="${plot.top}" y2="${plot.bottom}"/><text x="${across.at(tick)}" y="${plot.bottom + 18}" text-anchor="middle">${tick.toLocaleString('en')}</text>`).join('\n')}
${up
  .ticks()
  .map(
    (tick) =>
      `<line class="grid" x1="${plot.left}" x2="${plot.right}" y1="${up.at(tick)}" y2="${up.at(tick)}"/><text x="${plot.left - 8}" y="${up.at(tick) + 4}" text-anchor="end">${tick.toLocaleString('en')}</text>`,
  )
  .join('\n')}
<text x="${(plot.left + plot.right) / 2}" y="${plot.bottom + 38}" text-anchor="middle">${escapeXml(x)}</text>
<text x="8" y="${plot.top - 10}">${escapeXml(y)}</text>
${drawn.join('\n')}
</svg>
`;
}

const groupOf = (name: string): string => name.split(', ')[0] ?? name;
const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** A logarithmic axis over the values. */
function axis(values: readonly number[], from: number, to: number) {
  const positive = values.filter((value) => value > 0);
  const least = Math.min(...positive);
  const most = Math.max(...positive);
  const [low, high] = [Math.log(least), Math.log(most)];
  return {
    /** Ticks at 1, 2 and 5 times the powers of ten. */
    ticks(): number[] {
      const ticks: number[] = [];
      for (let power = 10 ** Math.floor(Math.log10(least)); power <= most; power *= 10) {
        ticks.push(...[1, 2, 5].map((step) => step * power).filter((tick) => tick >= least && tick <= most));
      }
      return ticks;
    },
    at(value: number): number {
      const share = high === low ? 0 : (Math.log(Math.max(value, least)) - low) / (high - low);
      return Math.round((from + share * (to - from)) * 10) / 10;
    },
  };
}
