import type { Poller, TaskQueueState } from '@mostrador/kit/clients/temporal-inspection';
import { ageText, type Finding, toTime } from './finding.ts';

/** What stops without the tasks of a queue. */
export const work: Readonly<Record<string, string>> = {
  calendar: 'Calendars are not written',
  delivery: 'Messages are not sent',
  followup: 'Follow-ups are not sent',
  assistant: 'The AI does not answer',
  webhooks: 'Failed webhooks are not sent again',
  reports: 'Reports are not closed; they stay right and become slower',
};

const everything = 'Messages, follow-ups, calendars and failed webhooks are not sent, and the AI does not answer';

/** A poll lasts at most about a minute, and begins again at once. */
const deadAfterMs = 90_000;
const slowAfterSeconds = 60;
const stuckAfterSeconds = 600;

/**
 * Which task queues have no worker, none of the version that gets their tasks, or too few. Pure.
 *
 * @param workers how many workflows processes answer. With none, a poll that began lately is one of a worker that died:
 * Temporal counts it for another minute. Undefined: not known
 */
export function judgeTaskQueues(queues: readonly TaskQueueState[], now: Date, workers?: number): Finding[] {
  const lives = ({ polledAt }: Poller) => workers !== 0 && +now - +polledAt < deadAfterMs;
  const dead = queues.filter(({ pollers }) => !pollers.some(lives));
  const passedBy = queues.filter(
    (queue) => !dead.includes(queue) && !queue.pollers.some((each) => lives(each) && each.version === queue.current),
  );
  // One cause is one finding: when no queue has a worker, there is none at all.
  const isAll =
    dead.length > 0 && new Set(dead.map(({ name }) => name)).size === new Set(queues.map(({ name }) => name)).size;
  const groups = isAll && queues.length > 2 ? [['', dead] as const] : [...Map.groupBy(dead, ({ name }) => name)];
  const findings: Finding[] = groups.map(([name, of]) => {
    const lastMs = Math.max(...of.flatMap(({ pollers }) => pollers.map(({ polledAt }) => +polledAt)), 0);
    const last = lastMs === 0 ? undefined : new Date(lastMs);
    const backlog = of.reduce((sum, queue) => sum + queue.backlog, 0);
    const oldest = Math.max(...of.map(({ backlogSeconds }) => backlogSeconds));
    return {
      severity: 'critical',
      isRoot: true,
      ...(name === '' && { cause: 'worker' as const }),
      what: `No worker polls ${name === '' ? 'any task queue' : `the task queue ${name}`}. ${work[name] ?? everything}; ${backlog} ${backlog === 1 ? 'task waits' : 'tasks wait'}${oldest > 0 ? `, the oldest for ${ageText(0, oldest * 1000)}` : ''}`,
      since: toTime(last),
      why: last ? 'The last poll ended, and none has begun since.' : 'No worker has polled it within five minutes.',
      remedy: `Start a workflows process${name === '' ? '' : ' whose TASK_QUEUES has this queue'}. If one runs, its /readyz says why it does not poll.`,
    };
  });
  for (const [current, of] of Map.groupBy(passedBy, (queue) => queue.current)) {
    findings.push(judgeCurrent(current, of, now));
  }
  const served = queues.filter(({ name }) => ![...dead, ...passedBy].some((queue) => queue.name === name));
  for (const { name, tasks, backlog, backlogSeconds, pollers } of served) {
    if (backlogSeconds < slowAfterSeconds) continue;
    findings.push({
      severity: backlogSeconds < stuckAfterSeconds ? 'warning' : 'critical',
      what: `${backlog} ${tasks} tasks wait in the task queue ${name}, the oldest for ${ageText(0, backlogSeconds * 1000)}. ${work[name] ?? ''} in time`,
      since: toTime(new Date(+now - backlogSeconds * 1000)),
      why: `${pollers.length} workers poll it, and cannot keep up.`,
      remedy:
        'Start more workflows processes, or find what makes steps slow: the other findings, and the log of workflows.',
    });
  }
  return findings;
}

/** The tasks of these queues go to a version of which no worker polls. */
function judgeCurrent(current: string | null, queues: readonly TaskQueueState[], now: Date): Finding {
  const names = [...new Set(queues.map(({ name }) => name))];
  const others = new Set(
    queues.flatMap(({ pollers }) => pollers.map(({ version }) => version ?? 'workers without one')),
  );
  const oldest = Math.max(...queues.map(({ backlogSeconds }) => backlogSeconds));
  const version = current === null ? 'workers without a version' : `the worker version ${current}`;
  return {
    severity: 'critical',
    isRoot: true,
    what: `Tasks of ${names.join(', ')} go to ${version}, and no such worker polls. ${names.flatMap((name) => work[name] ?? []).join('. ')}`,
    since: oldest > 0 ? toTime(new Date(+now - oldest * 1000)) : null,
    why: `These poll, and get no tasks: ${[...others].join(', ')}.`,
    remedy:
      'Start workers of that version, or make one current whose workers run: `temporal worker deployment set-current-version`, docs/operations/rollout.md.',
  };
}
