import { taskQueues } from '@mostrador/contracts';
import type { TaskQueueState } from '@mostrador/kit/clients/temporal-inspection';
import { processNames, serviceNames } from '@mostrador/platform/processes';
import { describe, expect, test } from 'vitest';
import { judgeAiBudgets } from './ai-budgets.ts';
import { judgeCircuits } from './circuits.ts';
import type { Replication } from './database.repository.ts';
import { judgeMigrations, judgeRefusal, judgeReplication, judgeRoles, judgeServer } from './database.ts';
import { ageText, compareFindings, exitCodeOf, type Finding, oneOfEachCause, type Severity } from './finding.ts';
import { judgeMessageBudgets } from './message-budgets.ts';
import { judgeNumbers } from './numbers.ts';
import { inDatabase } from './open-database.ts';
import { type Answer, judgeKeys, judgeProcesses } from './processes.ts';
import { judgeQueues } from './queues.ts';
import { runChecks, ServerDown, Skipped } from './run-checks.ts';
import { judgeSealed } from './sealed.ts';
import { databaseDown, natsDown, temporalDown } from './server-down.ts';
import { judgeStream, type StreamState } from './streams.ts';
import { judgeTaskQueues, work } from './task-queues.ts';

const now = new Date('2027-01-31T09:00:00.000Z');
const ago = (seconds: number) => new Date(+now - seconds * 1000);
const brief = (findings: readonly Finding[]) => findings.map(({ severity, what }) => [severity, what]);

const names: readonly string[] = processNames;
const answer = (process: string, members: Partial<Answer> = {}): Answer => ({
  ...{ process, instance: `host:${process}`, version: '0.2.0', ready: true, checks: [], keys: [], skewMs: 0 },
  ...{ started_at: '2027-01-31T08:00:00.000Z', now: now.toISOString() },
  ...members,
});
const key = (id: string, fingerprint = id) => ({ id, fingerprint });
const down = (name: string) => ({
  name,
  state: 'down' as const,
  detail: 'It is wrong: correct it.',
  since: '2027-01-31T08:59:00.000Z',
});

describe('findings', () => {
  const finding = (severity: Severity, since: string | null, what = ''): Finding => ({
    severity,
    what,
    since,
    why: '',
    remedy: '',
  });

  test('the most urgent is first, then the oldest, and an unknown begin comes last', () => {
    const inOrder = [
      { ...finding('critical', null, 'z'), isRoot: true as const },
      finding('critical', '2027-01-01T00:00:00.000Z'),
      finding('critical', '2027-01-02T00:00:00.000Z'),
      finding('critical', null, 'a'),
      finding('critical', null, 'b'),
      finding('warning', '2026-01-01T00:00:00.000Z'),
      finding('note', null),
    ];
    expect(inOrder.toReversed().sort(compareFindings)).toEqual(inOrder);
  });

  test('a dead worker is one finding, although two checks find it', () => {
    const present = names.filter((name) => name !== 'workflows').map((name) => answer(name));
    const pollers = [{ identity: 'w', polledAt: ago(120), version: null }];
    const queues = Object.values(taskQueues).map(
      (name) => ({ name, tasks: 'activity', pollers, backlog: 1, backlogSeconds: 60 }) as unknown as TaskQueueState,
    );
    const found = oneOfEachCause([...judgeProcesses(present), ...judgeTaskQueues(queues, now)]);
    expect(found).toMatchObject([
      {
        severity: 'critical',
        what: expect.stringContaining('No workflows process answers.'),
        since: ago(120).toISOString(),
        why: expect.stringContaining('No worker polls any task queue.'),
      },
    ]);
    expect(found[0]).not.toHaveProperty('cause');
  });

  test.each<[Severity[], number]>([
    [[], 0],
    [['note'], 0],
    [['note', 'warning'], 1],
    [['warning', 'critical', 'note'], 2],
  ])('of %j end with exit code %i', (found, code) => {
    expect(exitCodeOf(found.map((severity) => finding(severity, null)))).toBe(code);
  });

  test.each([
    [0, '0 s'],
    [59, '59 s'],
    [60, '1 min'],
    [7_500, '2 h 5 min'],
    [93_600, '1 d 2 h'],
  ])('%i seconds are written as %s', (seconds, text) => {
    expect(ageText(+ago(seconds), +now)).toBe(text);
  });
});

describe('a server that is down', () => {
  const withCode = (code: string) => new Error(`as ${code}`, { cause: Object.assign(new Error(), { code }) });

  test.each([
    ['53300', 'pg_stat_activity'],
    ['28P01', 'Correct the login'],
    ['3D000', '--database'],
    ['TLS_NOT_VALID_NOW', 'Renew the certificate'],
  ])('PostgreSQL that answers %s is neither started nor failed over', (code, remedy) => {
    const found = databaseDown(withCode(code));
    expect(found.remedy).toContain(remedy);
    expect(found.remedy).not.toMatch(/promote|Start PostgreSQL/);
  });

  test('PostgreSQL that does not answer is started, or its standby promoted', () => {
    expect(databaseDown(withCode('ECONNREFUSED')).remedy).toContain('Start PostgreSQL, or promote its standby');
  });

  test.each([
    ['nothing answers at localhost:4222', 'Start NATS'],
    ['NATS rejects the connection: certificate has expired', 'Renew the certificate of NATS'],
    ['NATS rejects the connection: self-signed certificate in certificate chain', 'Compare NATS_TLS_CA'],
    ["NATS rejects the connection: 'Authorization Violation'", 'Correct the user and the password'],
  ])('of NATS, what to do follows the reason: %s', (message, remedy) => {
    expect(natsDown(new Error(message)).remedy).toContain(remedy);
  });

  test('Temporal and the workers that wait for it are one finding', () => {
    const others = names.filter((name) => name !== 'workflows').map((name) => answer(name));
    const worker = answer('workflows', { ready: false, checks: [down('temporal')] });
    const found = oneOfEachCause([temporalDown(new Error('It is slow.')), ...judgeProcesses([...others, worker])]);
    expect(found).toMatchObject([
      { why: expect.stringContaining('workflows at host:workflows is not ready (temporal)') },
    ]);
  });
});

describe('checks', () => {
  test('run side by side, and one that fails, hangs or is skipped takes no other with it', async () => {
    const found: Finding = { severity: 'note', what: 'found', since: null, why: '', remedy: '' };
    const { findings, checks } = await runChecks(
      [
        { name: 'good', run: async () => [found] },
        { name: 'failing', run: () => Promise.reject(new Error('broken')) },
        { name: 'hanging', vital: true, run: () => new Promise(() => {}) },
        { name: 'without an address', run: () => Promise.reject(new Skipped('X is not set.')) },
        { name: 'of a server that is down', run: () => Promise.reject(new ServerDown()) },
      ],
      20,
    );
    expect(checks.map(({ name, state }) => [name, state])).toEqual([
      ['good', 'done'],
      ['failing', 'failed'],
      ['hanging', 'failed'],
      ['without an address', 'skipped'],
      ['of a server that is down', 'failed'],
    ]);
    expect(findings.map(({ severity, why }) => [severity, why])).toEqual([
      ['note', ''],
      ['warning', 'broken'],
      ['critical', 'no answer within 0.02 s'],
      ['note', 'X is not set.'],
    ]);
  });
});

describe('processes', () => {
  const all = names.map((name) => answer(name));

  test('of one version that are all ready are no finding', () => {
    expect(judgeProcesses(all)).toEqual([]);
  });

  test.each(names)('without a %s process is critical, and says what stops', (missing) => {
    const found = judgeProcesses(all.filter(({ process }) => process !== missing));
    expect(brief(found)).toEqual([
      ['critical', expect.stringMatching(new RegExp(`^No ${missing} process answers[.] .+`))],
    ]);
  });

  test('the warnings of ready ones are findings, and the same of several is one', () => {
    const warnings = ['A proxy is not trusted. Set `TRUSTED_PROXIES`.'];
    const gateways = ['a:1', 'b:1'].map((instance) => answer('gateway', { instance, warnings }));
    const rest = all.filter(({ process }) => process !== 'gateway');
    expect(judgeProcesses([...rest, ...gateways])).toMatchObject([
      {
        severity: 'warning',
        what: 'gateway at a:1, gateway at b:1 warn, and serve requests',
        why: 'A proxy is not trusted. Set `TRUSTED_PROXIES`.',
      },
    ]);
  });

  test('one that is not ready is critical alone, and a warning beside another', () => {
    const unready = answer('messaging', { instance: 'other:1', ready: false, checks: [down('postgres')] });
    const beside = judgeProcesses([...all, unready]);
    expect(beside).toMatchObject([
      { severity: 'warning', since: '2027-01-31T08:59:00.000Z', why: 'It is wrong: correct it.' },
    ]);
    const alone = judgeProcesses([...all.filter(({ process }) => process !== 'messaging'), unready]);
    expect(alone).toMatchObject([{ severity: 'critical', what: expect.stringContaining('Messages cannot be sent') }]);
  });

  test('one cause that makes several processes unready is one finding', () => {
    const readOnly = (variable: string) => ({ ...down('postgres'), detail: `It is read-only: see ${variable}.` });
    const unready = (process: string) =>
      answer(process, {
        ready: false,
        checks: [
          readOnly('DATABASE_URL'),
          { ...readOnly('DATABASE_SYSTEM_URL'), name: 'postgres_system' },
          down('temporal'),
        ],
      });
    const some = [
      unready('crm'),
      unready('messaging'),
      answer('gateway', { ready: false, checks: [readOnly('DATABASE_URL'), down('crm')] }),
    ];
    const rest = all.filter(({ process }) => !['crm', 'messaging', 'gateway'].includes(process));
    expect(brief(judgeProcesses([...rest, ...some]))).toEqual([
      [
        'critical',
        'crm at host:crm, messaging at host:messaging, gateway at host:gateway are not ready (postgres, postgres_system). ' +
          'No other process of these kinds is ready, so their requests get 503',
      ],
    ]);
  });

  test.each(['postgres', 'postgres_system'])('%s that is down is the only finding of its login', (name) => {
    const checks = [down(name), down('postgres_roles'), down('postgres_sessions')];
    const other = answer('crm', { instance: 'host:other', ready: false, checks });
    expect(brief(judgeProcesses([...all, other]))).toEqual([
      ['warning', `crm at host:other is not ready (${name}); other processes of the same kind serve`],
    ]);
    const alone = answer('crm', { instance: 'host:other', ready: false, checks: [down('postgres_sessions')] });
    expect(brief(judgeProcesses([...all, alone]))).toHaveLength(1);
  });

  test('a kind of process that is missing, and a dead worker, come before what waits for them', () => {
    const missing = judgeProcesses(all.filter(({ process }) => process !== 'workflows'));
    const dead = judgeTaskQueues(
      [{ name: 'delivery', tasks: 'workflow', pollers: [], backlog: 0, backlogSeconds: 0, current: null }],
      now,
    );
    for (const finding of [...missing, ...dead]) expect(finding.isRoot).toBe(true);
  });

  test('a check that is down without making the process unready is no finding', () => {
    expect(judgeProcesses([...all, answer('crm', { checks: [down('temporal')] })])).toEqual([]);
  });

  test('two versions are a note, and a clock that is wrong is a warning', () => {
    expect(brief(judgeProcesses([...all, answer('crm', { version: '0.3.0' })]))).toEqual([
      ['note', 'Processes of 2 versions run'],
    ]);
    expect(judgeProcesses([...all, answer('crm', { skewMs: 1_900 })])).toEqual([]);
    expect(brief(judgeProcesses([...all, answer('crm', { skewMs: -90_000 })]))).toEqual([
      ['warning', 'The clock of crm at host:crm differs by 1 min from the clock here'],
    ]);
  });
});

describe('encryption keys', () => {
  test.each([
    ['the same keys', [key('k1')], [key('k1')], []],
    ['one more key behind', [key('k1')], [key('k1'), key('k0')], []],
    [
      'another key first',
      [key('k2'), key('k1')],
      [key('k1'), key('k2')],
      [['warning', 'messaging processes seal with different keys: k2, k1']],
    ],
    [
      'another key of that id',
      [key('k1', 'a')],
      [key('k1', 'b')],
      [['critical', expect.stringContaining('under the id k1')]],
    ],
  ])('of two processes: %s', (_name, one, other, expected) => {
    expect(brief(judgeKeys([answer('messaging', { keys: one }), answer('messaging', { keys: other })]))).toEqual(
      expected,
    );
  });

  test('of different services may differ under one id', () => {
    expect(
      judgeKeys([answer('messaging', { keys: [key('k1', 'a')] }), answer('events', { keys: [key('k1', 'b')] })]),
    ).toEqual([]);
  });

  const sealed = { service: 'messaging', key_id: 'k1', rows: 3, since: ago(60) };
  test.each([
    ['the first key', [key('k1')], []],
    ['an old key', [key('k2'), key('k1')], [['note', expect.stringContaining('still seals 3 stored credentials')]]],
    ['a key that is gone', [key('k2')], [['critical', expect.stringContaining('has the encryption key k1')]]],
  ])('stored credentials that %s seals', (_name, keys, expected) => {
    expect(brief(judgeSealed([sealed], [answer('messaging', { keys })]))).toEqual(expected);
  });

  test('are not judged when no process of the service answers', () => {
    expect(judgeSealed([sealed], [answer('events', { keys: [key('k9')] })])).toEqual([]);
  });
});

describe('what waits', () => {
  const state = (queue: string, reason: string, seconds: number, service: string | null = null) => ({
    ...{ queue, reason, service, rows: 2, stores: 1, store_id: 'the-store', code: null },
    since: ago(seconds),
  });

  test.each<[string, string, number, Severity | undefined]>([
    ['message', 'overdue', 59, undefined],
    ['message', 'overdue', 60, 'warning'],
    ['message', 'overdue', 300, 'critical'],
    ['message', 'running', 9_999, undefined],
    ['message', 'postponed', 9_999, undefined],
    ['message', 'provider_unavailable', 0, 'warning'],
    ['message', 'provider_unavailable', 3_600, 'critical'],
    ['message', 'needs_attention', 0, 'warning'],
    ['message', 'unknown_outcome', 1, 'note'],
    ['message', 'unknown_outcome', 600, 'warning'],
    ['message', 'failed_attempt', 1, 'note'],
    ['calendar_sync', 'failed_attempt', 120, 'warning'],
    ['calendar_watch', 'failed_attempt', 300, undefined],
    ['calendar_watch', 'failed_attempt', 600, 'warning'],
    ['calendar_watch', 'needs_attention', 0, 'warning'],
    ['followup', 'restored', 0, 'warning'],
    ['followup', 'overdue', 400, 'critical'],
    ['inbound_payload', 'set_aside', 0, 'warning'],
    ['inbound_payload', 'overdue', 400, 'critical'],
    ['webhook_delivery', 'failed_attempt', 600, 'warning'],
    ['webhook_delivery', 'endpoint_disabled', 0, 'note'],
    ['webhook_delivery', 'endpoint_paused', 60, undefined],
    ['outbox', 'overdue', 59, undefined],
    ['outbox', 'overdue', 600, 'critical'],
    ['feed', 'set_aside', 0, 'warning'],
    ['message', 'a reason of a later version', 9_999, undefined],
  ])('%s, %s, for %i s: %s', (queue, reason, seconds, severity) => {
    expect(judgeQueues([state(queue, reason, seconds)], now).map((finding) => finding.severity)).toEqual(
      severity ? [severity] : [],
    );
  });

  test('says how many, of whom, since when, the last error, and what to do', () => {
    const [finding] = judgeQueues(
      [{ ...state('webhook_delivery', 'failed_attempt', 600), stores: 3, code: 'http_500' }],
      now,
    );
    expect(finding).toEqual({
      severity: 'warning',
      what: '2 webhook deliveries wait (failed_attempt), the oldest for 10 min: 3 stores, the oldest of the-store',
      since: '2027-01-31T08:50:00.000Z',
      why: "The store's receiver fails. The last error: http_500.",
      remedy: expect.stringContaining('webhook show'),
    });
    const [outbox] = judgeQueues([state('outbox', 'overdue', 90, 'crm')], now);
    expect(outbox?.what).toContain('2 entries wait in the outbox of crm (overdue)');
  });
});

describe('Temporal', () => {
  const queue = (members: Partial<TaskQueueState>): TaskQueueState => ({
    ...{
      name: 'delivery',
      tasks: 'workflow',
      pollers: [{ identity: 'w', polledAt: ago(10), version: null }],
      backlog: 0,
      backlogSeconds: 0,
      current: null,
    },
    ...members,
  });

  test.each<[string, Partial<TaskQueueState>, unknown[]]>([
    ['a queue that is polled', {}, []],
    ['a poll that began a minute ago', { pollers: [{ identity: 'w', polledAt: ago(70), version: null }] }, []],
    [
      'a worker that died',
      { pollers: [{ identity: 'w', polledAt: ago(120), version: null }], backlog: 4 },
      [
        [
          'critical',
          expect.stringContaining('No worker polls the task queue delivery. Messages are not sent; 4 tasks wait'),
        ],
      ],
    ],
    ['a queue that was never polled', { pollers: [] }, [['critical', expect.stringContaining('No worker polls')]]],
    [
      'a backlog',
      { backlog: 40, backlogSeconds: 61 },
      [['warning', expect.stringContaining('40 workflow tasks wait')]],
    ],
    ['an old backlog', { backlog: 40, backlogSeconds: 601 }, [['critical', expect.stringContaining('for 10 min')]]],
  ])('%s', (_name, members, expected) => {
    expect(brief(judgeTaskQueues([queue(members)], now))).toEqual(expected);
  });

  test.each([
    ['the current version', 'mostrador:2', ['mostrador:1', 'mostrador:2'], undefined],
    ['workers without a version, when none is current', null, [null, 'mostrador:2'], undefined],
    ['only the version before the current one', 'mostrador:2', ['mostrador:1'], 'the worker version mostrador:2'],
    ['only workers without a version', 'mostrador:2', [null], 'the worker version mostrador:2'],
    ['only workers of a version that is not current', null, ['mostrador:2'], 'workers without a version'],
  ])('polled by %s', (_name, current, versions, target) => {
    const pollers = versions.map((version) => ({ identity: 'w', polledAt: ago(10), version }));
    const found = judgeTaskQueues(
      (['workflow', 'activity'] as const).map((tasks) => ({
        ...queue({ current, pollers, backlogSeconds: 30 }),
        tasks,
      })),
      now,
    );
    const text = `Tasks of delivery go to ${target}, and no such worker polls. Messages are not sent`;
    const expected = { severity: 'critical', isRoot: true, what: text, since: ago(30).toISOString() };
    expect(found).toMatchObject(target === undefined ? [] : [expected]);
  });

  test('a last worker of the current version that died is missed although others poll', () => {
    const pollers = [
      { identity: 'old', polledAt: ago(10), version: 'mostrador:1' },
      { identity: 'dead', polledAt: ago(120), version: 'mostrador:2' },
    ];
    expect(brief(judgeTaskQueues([queue({ current: 'mostrador:2', pollers })], now))).toHaveLength(1);
  });

  test('says of each task queue what stops', () => {
    expect(Object.keys(work).toSorted()).toEqual(taskQueues.toSorted());
  });

  test('is one finding when no queue has a worker', () => {
    const queues = ['calendar', 'delivery'].flatMap((name) => [
      queue({ name, pollers: [] }),
      queue({ name, tasks: 'activity', pollers: [], backlog: 3 }),
    ]);
    expect(brief(judgeTaskQueues(queues, now))).toEqual([
      ['critical', expect.stringContaining('No worker polls any task queue. Messages, follow-ups')],
    ]);
  });

  test('no queue is served when no workflows process answers, although Temporal still counts the last poll', () => {
    const queues = [queue({ backlog: 4, backlogSeconds: 61 })];
    expect(brief(judgeTaskQueues(queues, now, 0))).toEqual([
      ['critical', expect.stringContaining('No worker polls the task queue delivery')],
    ]);
    expect(brief(judgeTaskQueues(queues, now, 1))).toEqual([['warning', expect.stringContaining('tasks wait')]]);
  });

  test('since when a queue has no worker is its last poll', () => {
    const [finding] = judgeTaskQueues(
      [queue({ pollers: [{ identity: 'w', polledAt: ago(120), version: null }] })],
      now,
    );
    expect(finding?.since).toBe(ago(120).toISOString());
  });
});

describe('NATS', () => {
  const node = (name: string, members = {}) => ({ name, current: true, offline: false, ...members });
  const stream: StreamState = {
    ...{ replicas: 3, nodes: { leader: 'n1', others: [node('n2'), node('n3')] } },
    ...{ bytes: 0, maxBytes: 1024, consumers: [{ name: 'messaging-leads', pending: 0, waiting: 0 }] },
  };

  test.each<[string, StreamState | undefined, [Severity, string][]]>([
    ['a stream with three copies', stream, []],
    ['one server', { ...stream, replicas: 1, nodes: null }, []],
    ['no stream', undefined, [['warning', 'has no stream']]],
    [
      'a node that is offline',
      { ...stream, nodes: { leader: 'n1', others: [node('n2', { offline: true, current: false }), node('n3')] } },
      [['warning', 'at n2 is offline']],
    ],
    [
      'a node that is behind',
      { ...stream, nodes: { leader: 'n1', others: [node('n2', { current: false }), node('n3')] } },
      [['warning', 'at n2 is behind']],
    ],
    ['no leader', { ...stream, nodes: { leader: '', others: [node('n2')] } }, [['critical', 'has no leader']]],
    [
      'a cluster with one copy',
      { ...stream, replicas: 1, nodes: { leader: 'n1', others: [] } },
      [['warning', 'has one copy']],
    ],
    ['a full stream', { ...stream, bytes: 1000 }, [['note', 'full to 98 %']]],
    [
      'a consumer that is behind',
      { ...stream, consumers: [{ name: 'messaging-leads', pending: 1_001, waiting: 0 }] },
      [['warning', '1,001 events wait for the consumer messaging-leads']],
    ],
  ])('%s', (_name, state, expected) => {
    expect(brief(judgeStream(state))).toEqual(
      expected.map(([severity, text]) => [severity, expect.stringContaining(text)]),
    );
  });
});

describe('PostgreSQL', () => {
  const server = { read_only: false, standby: false, unbound: true, connections: 10, most_connections: 100, now };

  test.each<[string, Partial<typeof server>, [Severity, string][]]>([
    ['takes writes', {}, []],
    ['is read-only by a setting', { read_only: true }, [['critical', 'PostgreSQL is read-only']]],
    ['is a standby', { read_only: true, standby: true }, [['critical', 'PostgreSQL is read-only']]],
    ['binds the user', { unbound: false }, [['warning', 'not complete']]],
    ['has few connections left', { connections: 95 }, [['warning', '95 of 100 connections']]],
  ])('%s', (_name, members, expected) => {
    expect(brief(judgeServer({ ...server, ...members }))).toEqual(
      expected.map(([severity, text]) => [severity, expect.stringContaining(text)]),
    );
  });

  test('a standby is to be promoted, and a setting to be undone', () => {
    expect(judgeServer({ ...server, read_only: true, standby: true })[0]?.remedy).toContain('Promote it');
    expect(judgeServer({ ...server, read_only: true })[0]?.remedy).toContain('alter system reset');
  });

  test.each([
    ['53100', 'could not extend file: No space left on device', 'The disk of PostgreSQL is full'],
    ['', 'No space left on device', 'The disk of PostgreSQL is full'],
    ['42501', 'permission denied', 'PostgreSQL refuses a trial write'],
  ])('a trial write that fails with %s: %s', (code, message, what) => {
    expect(judgeRefusal({ code, message })).toMatchObject({
      severity: 'critical',
      what: expect.stringContaining(what),
    });
  });

  const replication = {
    ...{ slots: [], archive: 'on', archived_at: ago(60), archive_failed_at: null, fenced_since: null, now },
    ...{ unarchived_since: null, backed_up_at: ago(86_400) },
  };
  const backup: [Severity, string] = ['note', 'The last base backup ended'];
  test.each<[string, { readonly [M in keyof Replication]?: Replication[M] | undefined }, [Severity, string][]]>([
    ['an archive that works', {}, [['note', 'was archived last'], backup]],
    [
      'an archive command that hangs',
      { archived_at: ago(700), unarchived_since: ago(601) },
      [['warning', 'The archive of the log stands still'], backup],
    ],
    ['a file that waits for a moment', { unarchived_since: ago(599) }, [['note', 'was archived last'], backup]],
    [
      'a base backup of three days ago',
      { backed_up_at: ago(3 * 86_400) },
      [
        ['note', 'was archived last'],
        ['warning', 'The newest base backup is older than two days'],
      ],
    ],
    [
      'no base backup',
      { backed_up_at: null },
      [
        ['note', 'was archived last'],
        ['warning', 'The server knows of no base backup'],
      ],
    ],
    [
      'a role that may not look',
      { unarchived_since: undefined, backed_up_at: undefined },
      [
        ['note', 'was archived last'],
        ['note', 'The last base backup is not known'],
      ],
    ],
    ['no archive', { archive: 'off', archived_at: null }, [['note', 'archives no log']]],
    ['an archive that fails', { archive_failed_at: ago(30) }, [['warning', 'The archive of the log fails'], backup]],
    ['an archive that failed before', { archive_failed_at: ago(90) }, [['note', 'was archived last'], backup]],
    [
      'a slot that keeps the log',
      { slots: [{ name: 's1', retained_bytes: 5 * 1024 ** 3 }] },
      [['warning', 'The replication slot s1 keeps 5.0 GB'], ['note', 'was archived last'], backup],
    ],
    ['a restore', { fenced_since: ago(9_000) }, [['note', 'was archived last'], backup, ['note', 'was restored last']]],
  ])('%s', (_name, members, expected) => {
    expect(brief(judgeReplication({ ...replication, ...members } as Replication))).toEqual(
      expected.map(([severity, text]) => [severity, expect.stringContaining(text)]),
    );
  });

  const roles = serviceNames
    .flatMap((name) => [`${name}_owner`, name, `${name}_system`])
    .concat('gateway_system')
    .map((name) => ({ name, login: true, too_much: false, foreign_schemas: [] as string[] }));
  test.each<[string, (name: string) => object, string]>([
    ['may not log in', () => ({ login: false }), 'The role crm may not log in'],
    ['is an administrator', () => ({ too_much: true }), 'The role crm may do more'],
    ['may use another schema', () => ({ foreign_schemas: ['events'] }), 'The role crm may do more'],
  ])('a role that %s', (_name, members, what) => {
    expect(judgeRoles(roles)).toEqual([]);
    const changed = roles.map((role) => (role.name === 'crm' ? { ...role, ...members(role.name) } : role));
    expect(brief(judgeRoles(changed))).toEqual([['critical', expect.stringContaining(what)]]);
    expect(brief(judgeRoles(roles.filter(({ name }) => name !== 'crm')))).toEqual([
      ['critical', 'The role crm does not exist'],
    ]);
  });

  test.each([
    [[], []],
    [['crm'], ['The schema crm has no migration']],
    [['crm', 'events'], ['The schemas crm, events have no migration']],
    [[...serviceNames], ['The database at POSTGRES_URL has no schema of the platform']],
  ])('without migrations in %j', (missing, expected) => {
    expect(judgeMigrations(missing).map(({ what }) => what)).toEqual(expected);
  });

  test.each([
    ['postgres://a:b@h:1/postgres?sslmode=verify-full', 'postgres://a:b@h:1/shop?sslmode=verify-full'],
    ['postgres://a:b@h1:1,h2:2/postgres', 'postgres://a:b@h1:1,h2:2/shop'],
    ['postgres://a:b@h:1', 'postgres://a:b@h:1/shop'],
    ['postgres://a:b@h?sslmode=require', 'postgres://a:b@h/shop?sslmode=require'],
  ])('%s with another database', (url, changed) => {
    expect(inDatabase(url, 'shop')).toBe(changed);
    expect(inDatabase(url, undefined)).toBe(changed.replace('/shop', '/mostrador'));
    expect(inDatabase(changed, undefined)).toBe(changed);
  });

  test('each store whose AI has used up its day is a note', () => {
    expect(judgeAiBudgets([])).toEqual([]);
    expect(judgeAiBudgets(['a', 'b'].map((store_id) => ({ store_id, since: now, stores: 2 })))).toMatchObject([
      { severity: 'note', what: expect.stringContaining('the store a has'), since: now.toISOString() },
      { severity: 'note', what: expect.stringContaining('the store b has') },
    ]);
  });

  test('a provider that is not called is a warning, and critical after an hour', () => {
    const circuit = {
      service: 'messaging',
      origin: 'https://graph.facebook.com',
      failures: 5,
      open_until: new Date(+now + 30_000),
    };
    expect(
      judgeCircuits(
        [
          { ...circuit, since: ago(60) },
          { ...circuit, since: ago(3_601) },
        ],
        now,
      ),
    ).toMatchObject([{ severity: 'warning', since: ago(60).toISOString() }, { severity: 'critical' }]);
  });

  test('a number that its provider blocks is a warning, and one that it warns about a note', () => {
    expect(judgeNumbers([])).toEqual([]);
    const found = judgeNumbers([
      { store_id: 'a', stores: 2, health: 'blocked', checked_at: now },
      { store_id: 'b', stores: 2, health: 'warned', checked_at: now },
    ]);
    expect(found).toMatchObject([
      { severity: 'warning', what: 'The provider blocks the number of the store a' },
      { severity: 'note', what: 'The provider warns about the number of the store b' },
    ]);
    expect(found[0]?.why).toContain(now.toISOString());
  });

  test('each store whose budget is used up is a warning that names it', () => {
    expect(judgeMessageBudgets([])).toEqual([]);
    expect(
      judgeMessageBudgets(['a', 'b'].map((store_id) => ({ store_id, stores: 2 }))).map(({ what }) => what),
    ).toEqual(['a', 'b'].map((id) => `The budget of the store ${id} for messages of the month is used up`));
  });

  test('stores beyond those that are named are counted', () => {
    const first = { store_id: 'a', stores: 4 };
    expect(judgeMessageBudgets([first])[1]?.what).toBe(
      'The budget of 3 more stores for messages of the month is used up',
    );
    expect(judgeAiBudgets([{ ...first, stores: 2, since: now }])).toMatchObject([
      { since: now.toISOString() },
      { severity: 'note', what: expect.stringMatching(/^The AI of 1 more store has used up/), since: null },
    ]);
    expect(judgeNumbers([{ ...first, health: 'blocked', checked_at: now }])[1]).toMatchObject({
      severity: 'warning',
      what: 'The provider blocks or warns about the number of 3 more stores',
    });
  });
});
