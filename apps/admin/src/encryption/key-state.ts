import type { KeyMark, SealedCount } from '@mostrador/contracts';
import type { Answer } from '../doctor/processes.ts';

/**
 * Why credentials of a service must not be sealed again now: a process that lacks the first key could not open them, and
 * one that has another first key would seal with that. Pure.
 */
export function keyFaults(
  service: string,
  answers: readonly Pick<Answer, 'process' | 'instance' | 'keys'>[],
): string[] {
  const processes = answers.filter(({ process }) => process === service);
  const [first] = processes;
  if (!first) return [`no ${service} process answers: start one, then repeat`];
  const mark = ({ id, fingerprint }: KeyMark) => `${id} ${fingerprint}`;
  const keysOf = ({ keys }: Pick<Answer, 'keys'>) => [keys.slice(0, 1).map(mark), keys.map(mark).sort()].join();
  return processes
    .filter((other) => keysOf(other) !== keysOf(first))
    .map(
      ({ instance, keys }) =>
        `${service} at ${instance} has the keys ${keys.map(({ id }) => id).join(', ')}, and at ${first.instance} ` +
        `${first.keys.map(({ id }) => id).join(', ')}, or other keys under these ids: give all of them the same ENCRYPTION_KEYS, then repeat`,
    );
}

/** Which keys must stay, and until when. Pure. */
export function stillNeeded(key: KeyMark, counts: readonly SealedCount[]): string {
  const old = [...Map.groupBy(counts, ({ key_id }) => key_id)].filter(([id]) => id !== key.id);
  if (old.length === 0) return 'No other key is needed.';
  return old
    .map(([id, of]) => {
      const stored = of.filter(({ expires_at }) => expires_at === null).reduce((sum, { rows }) => sum + rows, 0);
      if (stored > 0) return `Keep ${id}: it still seals ${stored.toLocaleString('en')}.`;
      const until = of
        .map(({ expires_at }) => expires_at ?? '')
        .sort()
        .at(-1);
      return `Keep ${id} until ${until}: answers for repeated requests are sealed with it.`;
    })
    .join(' ');
}
