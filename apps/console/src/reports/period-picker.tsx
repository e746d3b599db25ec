import { useNavigate } from '@tanstack/react-router';
import { m } from '../paraglide/messages.js';
import { Filter } from '../ui/filter.tsx';
import { segmentedLook } from '../ui/segmented.tsx';
import styles from './period-picker.module.css';
import { type Bucket, type Period, type Preset, presets, type ReportSearch } from './report-search.ts';

const words: Readonly<Record<Preset, () => string>> = {
  '7d': m.reports_7d,
  '30d': m.reports_30d,
  '90d': m.reports_90d,
  month: m.reports_month,
  last_month: m.reports_last_month,
};
const bucketWords: readonly (readonly [Bucket, () => string])[] = [
  ['day', m.reports_by_day],
  ['week', m.reports_by_week],
  ['month', m.reports_by_month],
];

/** Chooses the period and the size of its parts. The choice stands in the address. */
export function PeriodPicker({ search, period }: { search: ReportSearch; period: Period }) {
  const navigate = useNavigate({ from: '/reports' });
  const go = (next: ReportSearch) => void navigate({ search: next, replace: true });
  const { bucket, ...dates } = search;
  const kept = bucket ? { bucket } : {};
  const pick = (from: string, to: string) => {
    if (from && to && from <= to) go({ from, to, ...kept });
  };
  return (
    <div className={styles.picker}>
      <fieldset className={segmentedLook.frame} aria-label={m.reports_period()}>
        {presets.map((preset) => (
          <button
            key={preset}
            type="button"
            className={segmentedLook.choice}
            aria-pressed={!search.from && (search.preset ?? '30d') === preset}
            onClick={() => go({ preset, ...kept })}
          >
            {words[preset]()}
          </button>
        ))}
      </fieldset>
      <label className={styles.date}>
        <span>{m.reports_from()}</span>
        <input
          type="date"
          value={period.from}
          max={period.to}
          onChange={({ target }) => pick(target.value, period.to)}
        />
      </label>
      <label className={styles.date}>
        <span>{m.reports_to()}</span>
        <input
          type="date"
          value={period.to}
          min={period.from}
          onChange={({ target }) => pick(period.from, target.value)}
        />
      </label>
      <Filter
        label={m.reports_bucket()}
        all={m.reports_bucket_auto()}
        value={bucket}
        choices={bucketWords.map(([value, word]) => [value, word()] as const)}
        onChoose={(next) => go({ ...dates, ...(next ? { bucket: next } : {}) })}
      />
    </div>
  );
}
