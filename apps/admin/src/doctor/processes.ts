import { type ProcessDescription, type ProcessName, processNames } from '@mostrador/contracts';
import { ageText, type Finding } from './finding.ts';

/** What stops while no process of a kind runs. */
const stops: Readonly<Record<ProcessName, string>> = {
  gateway: 'No request of the API, no page of the console and no webhook of a channel is answered',
  accounts: 'People cannot sign in, and keys and stores cannot be changed; API keys still work',
  crm: 'Leads, sellers and agents cannot be read or changed; what customers write is stored and waits',
  scheduling: 'Appointments and follow-ups cannot be read or changed; follow-ups and calendars wait',
  messaging: 'Messages cannot be sent, and webhooks of channels are refused',
  events: 'Event feeds and webhooks stand still; their events wait in the outboxes',
  workflows: 'No message, follow-up, calendar sync or failed webhook is sent; they wait',
};

/** A clock that differs by so much makes requests arrive late. */
const greatestSkewMs = 2_000;

/** A description, and by how much the clock of the process may be wrong at most. */
export type Answer = ProcessDescription & { readonly skewMs: number };

/** What the roll call shows. Pure. */
export function judgeProcesses(answers: readonly Answer[]): Finding[] {
  return [...missing(answers), ...answers.flatMap(unready), ...skewed(answers), ...versions(answers)];
}

function missing(answers: readonly Answer[]): Finding[] {
  const present = new Set(answers.map(({ process }) => process));
  return processNames
    .filter((name) => !present.has(name))
    .map((name) => ({
      severity: 'critical',
      what: `No ${name} process answers. ${stops[name]}`,
      since: null,
      why: `No process with the NATS user ${name} answered the roll call: none runs, or it stands still, or it has no connection to NATS.`,
      remedy: `Start ${name}. If it runs, its log and its /readyz say why it does not answer; one that stands still must be killed.`,
    }));
}

/** A process that is not ready is critical when no other one of its kind is. */
function unready(answer: Answer, _index: number, answers: readonly Answer[]): Finding[] {
  const { process, instance, checks } = answer;
  const others = answers.filter((other) => other.process === process && other.ready).length;
  const down = checks.filter(({ state }) => state === 'down');
  if (answer.ready) return [];
  const causes = down.length > 0 ? down : [{ name: 'shutdown', detail: 'It is stopping.', since: null }];
  return causes.map(({ name, detail, since }) => ({
    severity: others === 0 ? 'critical' : 'warning',
    what: `${process} at ${instance} is not ready (${name})${others === 0 ? `. ${stops[process as ProcessName] ?? ''}` : `; ${others} other ${others === 1 ? 'process serves' : 'processes serve'}`}`,
    since,
    why: detail,
    remedy: remedyOf(name, process),
  }));
}

const remedyOf = (check: string, process: string): string => {
  if (check === 'encryption_keys') {
    return `Give this process the ENCRYPTION_KEYS of the other ${process} processes and restart it: docs/operations/encryption-keys.md.`;
  }
  if (check === 'shutdown') return 'Nothing, if it was stopped on purpose.';
  return `Do what the reason says; docs/operations/readiness.md has a table. The log of ${process} has the error.`;
};

function skewed(answers: readonly Answer[]): Finding[] {
  return answers
    .filter(({ skewMs }) => Math.abs(skewMs) > greatestSkewMs)
    .map(({ process, instance, skewMs }) => ({
      severity: 'warning',
      what: `The clock of ${process} at ${instance} differs by ${ageText(0, Math.abs(skewMs))} from the clock here`,
      since: null,
      why: 'Deadlines of requests are moments: a process whose clock is ahead refuses them as late.',
      remedy: 'Synchronize the clocks of both hosts.',
    }));
}

function versions(answers: readonly Answer[]): Finding[] {
  const found = Map.groupBy(answers, ({ version }) => version);
  if (found.size <= 1) return [];
  const list = [...found].map(
    ([version, of]) => `${version}: ${[...new Set(of.map(({ process }) => process))].join(', ')}`,
  );
  const newest =
    answers
      .map(({ started_at }) => started_at)
      .sort()
      .at(-1) ?? null;
  return [
    {
      severity: 'note',
      what: `Processes of ${found.size} versions run`,
      since: newest,
      why: list.join('; '),
      remedy: 'Nothing during a rollout. Otherwise finish it or roll it back: docs/operations/rollout.md.',
    },
  ];
}

/** Processes of one kind that have different keys under one id, or seal with different keys. Pure. */
export function judgeKeys(answers: readonly Pick<Answer, 'process' | 'instance' | 'keys'>[]): Finding[] {
  return [...Map.groupBy(answers, ({ process }) => process)].flatMap(([process, of]) => {
    const fingerprints = new Map<string, Map<string, string[]>>();
    for (const { instance, keys } of of) {
      for (const { id, fingerprint } of keys) {
        const instances = fingerprints.get(id) ?? new Map<string, string[]>();
        instances.set(fingerprint, [...(instances.get(fingerprint) ?? []), instance]);
        fingerprints.set(id, instances);
      }
    }
    const findings: Finding[] = [...fingerprints]
      .filter(([, instances]) => instances.size > 1)
      .map(([id, instances]) => ({
        severity: 'critical',
        what: `${process} processes have different encryption keys under the id ${id}. What one seals, the others cannot open`,
        since: null,
        why: [...instances].map(([print, at]) => `fingerprint ${print}: ${at.join(', ')}`).join('; '),
        remedy: `Stop the process with the wrong key, correct its ENCRYPTION_KEYS, and start it: docs/operations/encryption-keys.md.`,
      }));
    const sealing = new Set(of.flatMap(({ keys }) => keys[0]?.id ?? []));
    if (sealing.size > 1) {
      findings.push({
        severity: 'warning',
        what: `${process} processes seal with different keys: ${[...sealing].join(', ')}`,
        since: null,
        why: 'Their ENCRYPTION_KEYS begin with different keys.',
        remedy: 'Nothing during the rollout of a new key. Otherwise give all of them the same ENCRYPTION_KEYS.',
      });
    }
    return findings;
  });
}
