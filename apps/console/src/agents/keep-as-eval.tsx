import { useMutation } from '@tanstack/react-query';
import { ListPlus } from 'lucide-react';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { Bad } from '../ui/page.tsx';
import { say } from '../ui/toasts.tsx';
import type { ReplayedTurn } from './agent-queries.ts';
import { evalOfTurn } from './eval-draft.ts';
import { createEval, evalsChanged } from './eval-queries.ts';
import { wordsOfRefusedEval } from './eval-words.ts';

type KeepAsEvalProps = {
  readonly agentId: string;
  readonly turn: ReplayedTurn;
  /** The turns before it, the oldest first. */
  readonly earlier: readonly ReplayedTurn[];
};

/** Makes an eval that expects what was answered. */
export function KeepAsEval({ agentId, turn, earlier }: KeepAsEvalProps) {
  const keep = useMutation({
    mutationFn: () => createEval(agentId, evalOfTurn(turn, earlier)),
    onSuccess: async () => {
      await evalsChanged(agentId);
      say(m.agents_evals_kept());
    },
  });
  return (
    <>
      <Button kind="bare" busy={keep.isPending || keep.isSuccess} onClick={() => keep.mutate()}>
        <ListPlus size={14} aria-hidden />
        {m.agents_evals_keep()}
      </Button>
      {keep.error && <Bad>{wordsOfRefusedEval(keep.error)}</Bad>}
    </>
  );
}
