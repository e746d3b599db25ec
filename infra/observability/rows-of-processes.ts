import { type ProcessName, type ServiceName, serviceNames } from '../../packages/platform/src/processes.ts';
import type { Row } from './graph.ts';
import { calendars, messages, models, outbox, overdue, taskQueues, webhooks, worker } from './rows-of-work.ts';

/** How often, how long and with which errors: the golden signals of requests over NATS. */
const requestsOf = (service: string): Row => {
  const of = `service="${service}"`;
  return {
    title: 'Requests over NATS',
    graphs: [
      {
        title: 'Requests a second, by operation',
        unit: 'reqps',
        queries: {
          '{{subject}}': `sum by (subject) (rate(mostrador_rpc_duration_seconds_count{${of}}[$__rate_interval]))`,
        },
      },
      {
        title: 'Errors a second, by code',
        unit: 'reqps',
        queries: {
          '{{outcome}}': `sum by (outcome) (rate(mostrador_rpc_duration_seconds_count{${of}, outcome!="ok"}[$__rate_interval]))`,
        },
      },
      { title: 'Duration', unit: 's', queries: quantiles('mostrador_rpc_duration_seconds', of) },
      {
        title: 'p99 by operation',
        unit: 's',
        queries: {
          '{{subject}}': `histogram_quantile(0.99, sum by (le, subject) (rate(mostrador_rpc_duration_seconds_bucket{${of}}[$__rate_interval])))`,
        },
      },
      {
        title: 'Queues, as a share of their limit',
        unit: 'percentunit',
        queries: {
          '{{queue}} {{state}}': `max by (queue, state) (mostrador_rpc_queue_requests{${of}} / mostrador_rpc_queue_limit{${of}})`,
        },
      },
    ],
  };
};

const quantiles = (metric: string, of: string): Record<string, string> =>
  Object.fromEntries(
    [0.5, 0.95, 0.99].map((quantile) => [
      `p${quantile * 100}`,
      `histogram_quantile(${quantile}, sum by (le) (rate(${metric}_bucket{${of}}[$__rate_interval])))`,
    ]),
  );

const http: Row = {
  title: 'HTTP',
  graphs: [
    {
      title: 'Requests a second, by status',
      unit: 'reqps',
      queries: { '{{status}}': 'sum by (status) (rate(mostrador_http_duration_seconds_count[$__rate_interval]))' },
    },
    {
      title: 'Errors a second, by code',
      unit: 'reqps',
      queries: { '{{code}}': 'sum by (code) (rate(mostrador_http_errors_total[$__rate_interval]))' },
    },
    { title: 'Duration', unit: 's', queries: quantiles('mostrador_http_duration_seconds', 'route!="none"') },
    {
      title: 'p99 by route',
      unit: 's',
      queries: {
        '{{method}} {{route}}':
          'topk(10, histogram_quantile(0.99, sum by (le, method, route) (rate(mostrador_http_duration_seconds_bucket[$__rate_interval]))))',
      },
    },
    {
      title: 'Connections, as a share of their limit',
      unit: 'percentunit',
      queries: { '{{instance}}': 'mostrador_http_connections / mostrador_http_connections_limit' },
    },
    {
      title: 'Streams, exports',
      queries: {
        'wait for events {{instance}}': 'mostrador_feed_followers',
        'exports {{instance}}': 'mostrador_exports',
      },
    },
    {
      title: 'Bytes of webhooks of channels',
      unit: 'bytes',
      queries: { '{{instance}}': 'mostrador_webhook_bytes' },
    },
  ],
};

const processOf = (service: string, hasDatabase: boolean): Row => {
  const of = `service="${service}"`;
  return {
    title: 'Processes',
    graphs: [
      {
        title: 'Dependencies: 1 is up',
        queries: { '{{dependency}}': `min by (dependency) (mostrador_dependency_up{${of}})` },
      },
      { title: 'Ready: 1', queries: { '{{instance}}': `mostrador_ready{${of}}` } },
      {
        title: 'Processor',
        unit: 'percentunit',
        queries: { '{{instance}}': `rate(process_cpu_seconds_total{${of}}[$__rate_interval])` },
      },
      { title: 'Memory', unit: 'bytes', queries: { '{{instance}}': `process_resident_memory_bytes{${of}}` } },
      { title: 'Event loop, p99', unit: 's', queries: { '{{instance}}': `nodejs_eventloop_lag_p99_seconds{${of}}` } },
      ...(hasDatabase
        ? [
            {
              title: 'Connections to PostgreSQL, as a share of their limit',
              unit: 'percentunit',
              queries: {
                '{{role}} {{state}}': `max by (role, state) (mostrador_database_connections{${of}} / on (instance, role) group_left mostrador_database_connections_limit{${of}})`,
              },
            },
            {
              title: "Ahead of PostgreSQL's clock",
              unit: 's',
              queries: { '{{instance}}': `mostrador_clock_skew_seconds{${of}}` },
            },
          ]
        : []),
    ],
  };
};

const numbers: Row = {
  title: 'Now',
  asNumbers: true,
  graphs: [
    { title: 'Processes that answer', queries: { now: 'sum(up{job="mostrador"})' } },
    { title: 'Processes that do not', queries: { now: 'sum(1 - up{job="mostrador"})' } },
    { title: 'Alerts', queries: { now: 'count(ALERTS{alertname=~"Mostrador.*", alertstate="firing"}) or vector(0)' } },
    {
      title: 'Task queues without a worker',
      queries: { now: 'sum(1 - max by (task_queue) (mostrador_task_queue_served))' },
    },
    {
      title: 'Requests a second',
      unit: 'reqps',
      queries: { now: 'sum(rate(mostrador_http_duration_seconds_count[$__rate_interval]))' },
    },
    {
      title: 'Requests that fail',
      unit: 'percentunit',
      queries: {
        now: 'sum(rate(mostrador_http_duration_seconds_count{status=~"5.."}[$__rate_interval])) / sum(rate(mostrador_http_duration_seconds_count[$__rate_interval]))',
      },
    },
  ],
};

export const overview: Row[] = [
  numbers,
  { ...http, graphs: http.graphs.slice(0, 3) },
  {
    title: 'Services',
    graphs: [
      {
        title: 'Errors a second, by service',
        unit: 'reqps',
        queries: {
          '{{service}} {{outcome}}':
            'sum by (service, outcome) (rate(mostrador_rpc_duration_seconds_count{outcome=~"internal_error|service_unavailable|upstream_timeout|late"}[$__rate_interval]))',
        },
      },
      { title: 'Ready processes', queries: { '{{service}}': 'sum by (service) (mostrador_ready)' } },
      {
        title: 'Certificates expire in',
        unit: 's',
        queries: {
          '{{service}} {{variable}}': 'min by (service, variable) (mostrador_certificate_expiry_seconds) - time()',
        },
      },
      { title: 'Leaders: 1', queries: { '{{service}}': 'sum by (service) (mostrador_leader)' } },
    ],
  },
  {
    ...overdue,
    title: 'What waits',
    graphs: [...overdue.graphs, ...taskQueues.graphs.slice(0, 1), ...outbox('').graphs.slice(0, 1)],
  },
];

const ofService: Partial<Record<ServiceName, Row[]>> = {
  scheduling: [calendars],
  messaging: [messages],
  events: [webhooks],
  assistant: [models],
};

/** The rows of each process's dashboard. */
export const particular: Readonly<Record<ProcessName, readonly Row[]>> = {
  gateway: [http, processOf('gateway', true)],
  ...(Object.fromEntries(
    serviceNames.map((name) => [
      name,
      [requestsOf(name), ...(ofService[name] ?? []), outbox(`{service="${name}"}`), processOf(name, true)],
    ]),
  ) as Record<ServiceName, Row[]>),
  workflows: [worker, processOf('workflows', false)],
};
