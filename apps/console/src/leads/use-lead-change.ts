import { useMutation } from '@tanstack/react-query';
import { dataOf, type Lead, platform, type Versioned } from '../api/platform.ts';
import { queries } from '../api/queries.ts';
import { sayFailure, sayWithUndo } from '../ui/toasts.tsx';
import { leadChanged, leadQuery } from './queries.ts';

type Change = Partial<Pick<Lead, 'status' | 'seller_id' | 'ai_paused_until'>>;

/** Changes a lead at once, says so, and offers to take it back. */
export function useLeadChange(leadId: string) {
  const { queryKey } = leadQuery(leadId);
  const change = useMutation({
    mutationFn: (body: Change) => dataOf(platform.PATCH('/leads/{leadId}', { params: { path: { leadId } }, body })),
    onMutate: async (body) => {
      await queries.cancelQueries({ queryKey });
      const before = queries.getQueryData<Versioned<Lead>>(queryKey);
      if (before) queries.setQueryData(queryKey, { ...before, data: { ...before.data, ...body } });
      return before;
    },
    onError: (error, _, before) => {
      if (before) queries.setQueryData(queryKey, before);
      sayFailure(error);
    },
    onSettled: () => void leadChanged(leadId),
  });
  return (to: Change, back: Change, words: string) =>
    change.mutate(to, { onSuccess: () => sayWithUndo(words, () => change.mutate(back)) });
}
