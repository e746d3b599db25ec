import type { SessionRow } from '../sessions/session.repository.ts';
import type { Credentials } from './credential.repository.ts';
import { type Proof, proofOf } from './proof.ts';

export const sessionProof = (
  { opened_by: openedBy, now, signed_in_at }: SessionRow,
  { password_hash, has_passkeys, joined_elsewhere: joinedElsewhere }: Credentials,
): Proof =>
  proofOf({
    ...{ openedBy, joinedElsewhere },
    ageMs: now.getTime() - signed_in_at.getTime(),
    hasCredentials: password_hash !== null || has_passkeys,
  });
