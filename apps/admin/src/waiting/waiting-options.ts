import { type OperatorKind, type OperatorService, operatorKinds, operatorKindsInOrder } from '@mostrador/contracts';
import { UsageError } from '../exit.ts';

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The moment that `30m`, `2h`, `1d` or an RFC 3339 time means. Throws UsageError. */
export function momentBefore(typed: string, nowMs: number): string {
  const [, amount, unit = ''] = /^([0-9]{1,6})([smhd])$/.exec(typed) ?? [];
  const time = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T/.test(typed) ? Date.parse(typed) : Number.NaN;
  const ms = amount === undefined ? time : nowMs - Number(amount) * (units[unit] ?? 0);
  if (Number.isNaN(ms))
    throw new UsageError(['--older-than must be an age such as 30m, 2h or 1d, or an RFC 3339 time']);
  return new Date(ms).toISOString();
}

/** The kind of `--kind`, or all. Throws UsageError for an unknown one. */
export function kindsOf(typed: string | undefined): readonly OperatorKind[] {
  if (typed === undefined) return operatorKindsInOrder;
  const kind = operatorKindsInOrder.find((each) => each === typed);
  if (!kind) throw new UsageError([`--kind must be one of ${operatorKindsInOrder.join(', ')}`]);
  return [kind];
}

export const serviceOf = (kind: OperatorKind): OperatorService => operatorKinds[kind];

export const kindText = operatorKindsInOrder.join(', ');
