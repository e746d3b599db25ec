import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ChangedMeanwhile } from './save-change.ts';

type Saving<Seen, Saved, Sent> = {
  /** What the form showed first. */
  readonly first: Seen;
  /** @throws ChangedMeanwhile */
  readonly save: (seen: Seen, sent: Sent) => Promise<Saved>;
  readonly onSaved: (saved: Saved) => unknown;
};

/**
 * Saves what a person changes in a form. When another person has changed the same, nothing is saved, and the next attempt
 * counts as an answer to that.
 */
export function useSave<Seen, Saved, Sent = void>({ first, save, onSaved }: Saving<Seen, Saved, Sent>) {
  const [seen, setSeen] = useState(first);
  return useMutation({
    mutationFn: (sent: Sent) => save(seen, sent),
    onSuccess: onSaved,
    onError: (error) => {
      if (error instanceof ChangedMeanwhile) setSeen(error.now);
    },
  });
}
