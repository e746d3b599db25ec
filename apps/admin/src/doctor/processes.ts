import type { ProcessDescription } from '@mostrador/contracts';
import { type ProcessName, processNames } from '@mostrador/platform/processes';
import { ageText, type Finding } from './finding.ts';

/** What stops while no process of a kind runs. */
const stops: Readonly<Record<ProcessName, string>> = {
  gateway: 'No request of the API, no page of the console and no webhook of a channel is answered',
  accounts: 'People cannot sign in, and keys and stores cannot be changed; API keys still work',
  crm: 'Leads, sellers and agents cannot be read or changed; what customers write is stored and waits',
  scheduling: 'Appointments and follow-ups cannot be read or changed; follow-ups and calendars wait',
  messaging: 'Messages cannot be sent, and webhooks of channels are refused',
  events: 'Event feeds and webhooks stand still; their events wait in the outboxes',
  assistant: 'The AI answers no lead; what leads wrote more than a quarter of an hour ago is left to people',
  workflows: 'No message, follow-up, calendar sync or failed webhook is sent; they wait',
};

/** A clock that differs by so much makes requests arrive late. */
const greatestSkewMs = 2_000;

/** A description, and by how much the clock of the process may be wrong at most. */
export type Answer = ProcessDescription & { readonly skewMs: number };

/** What the roll call shows. Pure. */
export function judgeProcesses(answers: readonly Answer[]): Finding[] {
  return [...missing(answers), ...unready(answers), ...warned(answers), ...skewed(answers), ...versions(answers)];
}

/** What ready processes warn of. The same of several is one finding. */
function warned(answers: readonly Answer[]): Finding[] {
  const told = answers.flatMap(({ process, instance, warnings = [] }) =>
    warnings.map((warning) => ({ warning, at: `${process} at ${instance}` })),
  );
  return [...Map.groupBy(told, ({ warning }) => warning)].map(([warning, of]) => ({
    severity: 'warning',
    what: `${of.map(({ at }) => at).join(', ')} ${of.length === 1 ? 'warns' : 'warn'}, and ${of.length === 1 ? 'serves' : 'serve'} requests`,
    since: null,
    why: warning,
    remedy: 'Do what the reason says.',
  }));
}

function missing(answers: readonly Answer[]): Finding[] {
  const present = new Set(answers.map(({ process }) => process));
  return processNames
    .filter((name) => !present.has(name))
    .map((name) => ({
      severity: 'critical',
      isRoot: true,
      ...(name === 'workflows' && { cause: 'worker' as const }),
      what: `No ${name} process answers. ${stops[name]}`,
      since: null,
      why: `No process with the NATS user ${name} answered the roll call: none runs, or it stands still, or it has no connection to NATS.`,
      remedy: `Start ${name}. If it runs, its log and its /readyz say why it does not answer; one that stands still must be killed.`,
    }));
}

type Cause = {
  readonly answer: Answer;
  readonly check: string;
  readonly detail: string;
  readonly since: string | null;
};

/** Checks that cannot pass while another one fails. */
const follows: Readonly<Record<string, readonly string[]>> = {
  postgres_roles: ['postgres', 'postgres_system'],
  postgres_sessions: ['postgres', 'postgres_system'],
};

/** Why a process is not ready. What it only shows, such as other services, is no reason beside one. */
function causesOf(answer: Answer): Cause[] {
  const down = answer.checks.filter(({ state }) => state === 'down');
  const own = down.filter(({ name }) => name !== 'temporal' && !(processNames as readonly string[]).includes(name));
  const names = new Set(own.map(({ name }) => name));
  const first = own.filter(({ name }) => !follows[name]?.some((cause) => names.has(cause)));
  const shown = own.length > 0 ? first : down;
  if (shown.length === 0) return [{ answer, check: 'shutdown', detail: 'It is stopping.', since: null }];
  return shown.map(({ name, detail, since }) => ({ answer, check: name, detail, since }));
}

/** One cause is one finding, also when it makes several processes unready. Without another ready one it is critical. */
function unready(answers: readonly Answer[]): Finding[] {
  const causes = answers.filter(({ ready }) => !ready).flatMap(causesOf);
  const served = new Set(answers.filter(({ ready }) => ready).map(({ process }) => process));
  const sameCause = ({ detail }: Cause) => detail.replace(/DATABASE_(SYSTEM_)?URL/g, 'its address');
  return [...Map.groupBy(causes, sameCause).values()].map((of): Finding => {
    const processes = [...new Set(of.map(({ answer }) => answer))];
    const stopped = [...new Set(processes.map(({ process }) => process))].filter((process) => !served.has(process));
    const [{ check, detail, answer } = { check: '', detail: '', answer: undefined }] = of;
    const checks = [...new Set(of.map((cause) => cause.check))].join(', ');
    const list = processes.map(({ process, instance }) => `${process} at ${instance}`).join(', ');
    const effect =
      stopped.length === 0
        ? '; other processes of the same kind serve'
        : stopped.length === 1
          ? `. ${stops[stopped[0] as ProcessName] ?? ''}`
          : '. No other process of these kinds is ready, so their requests get 503';
    return {
      severity: stopped.length > 0 ? 'critical' : 'warning',
      ...(check === 'temporal' && stopped.length > 0 && { cause: 'temporal' as const }),
      what: `${list} ${processes.length === 1 ? 'is' : 'are'} not ready (${checks})${effect}`,
      since: of.flatMap(({ since }) => since ?? []).sort()[0] ?? null,
      why: detail,
      remedy: remedyOf(check, answer?.process ?? ''),
    };
  });
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
