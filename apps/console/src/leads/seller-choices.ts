import type { Seller } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import type { Choice } from '../ui/field.tsx';

/** Sellers who can get a lead. The one who has it stays a choice. */
export const sellerChoices = (sellers: readonly Seller[], current: string | null): Choice[] => {
  const known = sellers.filter(({ id, is_active }) => is_active || id === current);
  const isMissing = current !== null && !known.some(({ id }) => id === current);
  return [
    ['', m.leads_no_seller()],
    ...known.map(({ id, name }) => [id, name] as const),
    ...(isMissing ? [[current, m.leads_other_seller()] as const] : []),
  ];
};
