import type { SealedRows } from './database.repository.ts';
import { type Finding, toTime } from './finding.ts';
import type { Answer } from './processes.ts';

/**
 * Credentials that no running process can open, and those that an old key still seals. Pure.
 *
 * @param answers of processes of all services; a service of which none answered is not judged
 */
export function judgeSealed(
  sealed: readonly SealedRows[],
  answers: readonly Pick<Answer, 'process' | 'keys'>[],
): Finding[] {
  return sealed.flatMap(({ service, key_id, rows, since }): Finding[] => {
    const processes = answers.filter(({ process }) => process === service);
    if (processes.length === 0) return [];
    const texts = rows === 1 ? '1 stored credential' : `${rows.toLocaleString('en')} stored credentials`;
    if (!processes.some(({ keys }) => keys.some(({ id }) => id === key_id))) {
      return [
        {
          severity: 'critical',
          what: `No ${service} process has the encryption key ${key_id}, which sealed ${texts}. What goes through them waits`,
          since: null,
          why: `ENCRYPTION_KEYS of ${service} lacks it.`,
          remedy: `Restore the key ${key_id} behind the first one: docs/operations/encryption-keys.md.`,
        },
      ];
    }
    if (!processes.every(({ keys }) => keys[0]?.id !== key_id)) return [];
    return [
      {
        severity: 'note',
        what: `The old encryption key ${key_id} of ${service} still seals ${texts}, the oldest of them from this moment`,
        since: toTime(since),
        why: 'A new key is first in ENCRYPTION_KEYS, and stored credentials keep theirs until they are sealed again.',
        remedy: '`secrets reseal`, then remove the old key.',
      },
    ];
  });
}
