import { codeOf } from '@mostrador/kit/database/failures';
import { natsRemedy } from '../nats-remedy.ts';
import type { Finding } from './finding.ts';

/** NATS is not reached. The reason decides what to do: to start a server that runs would mend nothing. */
export const natsDown = ({ message }: Error): Finding => ({
  severity: 'critical',
  isRoot: true,
  what: 'NATS does not answer. No request of the API is served, and which processes run is not known',
  since: null,
  why: message,
  remedy: `${sentence(natsRemedy(message))}. The processes connect again by themselves, and nothing that was accepted is lost.`,
});

/** `message` says what is wrong and what to do, as in `/readyz`. */
export const temporalDown = ({ message }: Error): Finding => ({
  severity: 'critical',
  isRoot: true,
  cause: 'temporal',
  what: 'Temporal cannot be used. The API works; messages, follow-ups, calendars and failed webhooks wait',
  since: null,
  why: message,
  remedy: 'Do what the reason says, or start Temporal: docs/operations/readiness.md. What waits goes on by itself.',
});

/** What else to do than to start PostgreSQL, by SQLSTATE. A promotion would not help, and lose what is not replicated. */
const remedies: Readonly<Record<string, string>> = {
  '53300':
    'Find in pg_stat_activity who holds the connections, and end those that are not needed; then raise max_connections or lower the pools: docs/operations/scaling.md.',
  '28P01': 'Correct the login in POSTGRES_URL. The processes have their own, so they may work.',
  '28000': 'Correct the login in POSTGRES_URL, or pg_hba.conf. The processes have their own, so they may work.',
  '3D000': 'Name the database of the platform in POSTGRES_URL, or with --database.',
  TLS_NOT_VALID_NOW: 'Renew the certificate of PostgreSQL and reload it, or correct the clocks.',
};

export function databaseDown({ message, cause }: Error): Finding {
  const remedy = remedies[codeOf(cause) ?? ''];
  return {
    severity: 'critical',
    isRoot: true,
    what: remedy
      ? 'PostgreSQL does not let this command in, so what waits is not known'
      : 'PostgreSQL does not answer. Every request gets 503, and what waits is not known',
    since: null,
    why: message,
    remedy:
      remedy ??
      'Start PostgreSQL, or promote its standby: docs/operations/readiness.md. The processes connect again by themselves.',
  };
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
