import { type Message, type MessageBudget, type MessagePricing, toMicros } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import type { PublicEvent } from '@mostrador/kit/outbox/outbox';
import { AppError } from '@mostrador/kit/rpc/errors';
import { addToBudget, type Told, takeFromBudget } from './budget.repository.ts';
import type { RateCard } from './rate-card.ts';

type State = { readonly status: Message['status']; readonly pricing: MessagePricing | null };
/** `budget_micros`: what the message took when it was accepted. Null: the store had no budget then. */
type Spending = State & { readonly budget_micros: number | null };

/** What a message takes of its month's budget, in millionths: its price, or what was expected of it. */
function spentBy({ status, pricing, budget_micros }: Spending): number {
  if (budget_micros === null || status === 'failed' || status === 'cancelled') return 0;
  const amount = pricing?.amount ?? null;
  return amount === null ? budget_micros : toMicros(amount);
}

/**
 * Corrects the month's budget after a message has changed. The caller holds the conversation's lock. Returns the event when
 * its price makes the month reach 80 or 100 percent.
 */
export async function settleBudget(
  sql: TransactionSql,
  storeId: string,
  before: Spending & { readonly created_at: Date },
  after: State,
): Promise<PublicEvent[]> {
  const micros = spentBy({ ...before, ...after }) - spentBy(before);
  if (micros === 0) return [];
  const at = before.created_at;
  const told = await addToBudget(sql, storeId, at, micros);
  return told ? budgetReached(storeId, { ...told, at, currency: after.pricing?.currency ?? null }) : [];
}

export type Expected = {
  readonly source: Message['source'];
  /** It only says that a person will answer. */
  readonly handsOver: boolean;
  /** What the provider will probably bill it as. */
  readonly category: string;
  /** The customer's phone, or the calling code of a hidden one. Undefined: neither is known. */
  readonly phone: string | undefined;
  readonly at: Date;
};

/**
 * Takes the probable price of a message from the budget of its month. Returns it in millionths, and the event when the
 * message reaches 80 or 100 percent. A message of a seller is never refused, because a customer who waits must get an
 * answer, and neither is one of the AI that calls a person. The row of the month stays locked until the transaction ends,
 * so the others cannot exceed the budget together.
 *
 * @throws AppError `message_budget_reached`
 */
export async function reserveBudget(
  sql: TransactionSql,
  storeId: string,
  { rateCard, budget }: { readonly rateCard: RateCard | undefined; readonly budget: number },
  { source, handsOver, category, phone, at }: Expected,
): Promise<{ micros: number; events: PublicEvent[] }> {
  const micros = toMicros(rateCard?.rateOf(phone, category, at) ?? 0);
  const [mayExceed, budgetMicros] = [source === 'seller' || handsOver, toMicros(budget)];
  const taken = await takeFromBudget(sql, storeId, { at, micros, budgetMicros, mayExceed });
  if (!taken) throw new AppError('message_budget_reached');
  const currency = rateCard?.currency ?? null;
  return { micros, events: budgetReached(storeId, { ...taken, budget, at, currency }) };
}

/** The event when more of the budget is used up than was told. */
export function budgetReached(
  storeId: string,
  { told_percent: percent, told_before, spent_micros, ...month }: Told & Omit<BudgetOfMonth, 'spentMicros'>,
): PublicEvent[] {
  if (percent <= told_before || (percent !== 80 && percent !== 100)) return [];
  const data = { percent, ...toBudget({ ...month, spentMicros: spent_micros }) } as const;
  return [{ kind: 'feed', type: 'budget.reached', entityId: storeId, etag: null, data, object: undefined }];
}

type BudgetOfMonth = {
  readonly budget: number;
  readonly spentMicros: number;
  readonly at: Date;
  readonly currency: string | null;
};

export const toBudget = ({ budget, spentMicros, at, currency }: BudgetOfMonth): MessageBudget => ({
  amount: budget,
  spent: spentMicros / 1e6,
  currency,
  month: at.toISOString().slice(0, 7),
});
