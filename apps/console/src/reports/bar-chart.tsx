import styles from './bar-chart.module.css';
import { niceMaximum } from './formats.ts';

type Bar = { readonly label: string; readonly values: readonly number[] };

type BarChartProps = {
  /** What it shows. The table below has the numbers. */
  readonly label: string;
  /** The names of the parts of each bar, from the bottom. */
  readonly parts: readonly string[];
  readonly bars: readonly Bar[];
  readonly format: (value: number) => string;
};

const width = 600;
const height = 140;
/** The part of its room that a bar leaves free. */
const gap = 0.25;

/** A stacked bar for each bucket. */
export function BarChart({ label, parts, bars, format }: BarChartProps) {
  const maximum = niceMaximum(bars.map(({ values }) => sum(values)));
  const step = width / Math.max(bars.length, 1);
  const heightOf = (value: number) => (value / maximum) * height;
  const inWords = ({ label: name, values }: Bar) =>
    `${name}: ${parts.map((part, index) => `${part} ${format(values[index] ?? 0)}`).join(', ')}`;
  return (
    <figure className={styles.figure}>
      <figcaption className={styles.caption}>
        <span className={styles.name}>{label}</span>
        {parts.length > 1 && (
          <span className={styles.legend}>
            {parts.map((part, index) => (
              <span key={part}>
                <i className={styles.key} data-part={index} aria-hidden />
                {part}
              </span>
            ))}
          </span>
        )}
      </figcaption>
      <div className={styles.plot}>
        <span className={styles.end} aria-hidden>
          {format(maximum)}
        </span>
        <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
          {[0.5, height / 2].map((y) => (
            <line key={y} x1="0" x2={width} y1={y} y2={y} className={styles.grid} />
          ))}
          {bars.map((bar, column) => (
            <g key={bar.label}>
              <title>{inWords(bar)}</title>
              {bar.values.map((value, index) => (
                <rect
                  key={parts[index]}
                  data-part={index}
                  className={styles.bar}
                  x={(column + gap / 2) * step}
                  y={height - heightOf(sum(bar.values.slice(0, index + 1)))}
                  width={step * (1 - gap)}
                  height={heightOf(value)}
                />
              ))}
            </g>
          ))}
          <line x1="0" x2={width} y1={height - 0.5} y2={height - 0.5} className={styles.axis} />
        </svg>
      </div>
      <div className={styles.ends} aria-hidden>
        <span>{bars[0]?.label}</span>
        {bars.length > 1 && <span>{bars.at(-1)?.label}</span>}
      </div>
    </figure>
  );
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
