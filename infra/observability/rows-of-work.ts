import type { Row } from './graph.ts';

// What waits, what fails outside, and who carries it.

export const outbox = (of: string): Row => ({
  title: 'Outbox and feed',
  graphs: [
    {
      title: 'The oldest waits',
      unit: 's',
      queries: {
        'outbox {{service}}': `max by (service) (mostrador_outbox_oldest_seconds${of})`,
        'feed {{service}}': `max by (service) (mostrador_feed_oldest_seconds${of})`,
      },
    },
    {
      title: 'Entries',
      queries: {
        'outbox {{service}}': `max by (service) (mostrador_outbox_entries${of})`,
        'feed {{service}}': `max by (service) (mostrador_feed_entries${of})`,
      },
    },
    {
      title: 'Set aside',
      queries: {
        'outbox {{service}}': `max by (service) (mostrador_outbox_entries_set_aside${of})`,
        'feed {{service}}': `max by (service) (mostrador_feed_entries_set_aside${of})`,
      },
    },
  ],
});

export const overdue: Row = {
  title: 'Due work',
  graphs: [
    { title: 'Overdue for', unit: 's', queries: { '{{rows}}': 'max by (rows) (mostrador_overdue_seconds)' } },
    { title: 'Overdue rows', queries: { '{{rows}}': 'max by (rows) (mostrador_overdue_rows)' } },
  ],
};

export const messages: Row = {
  title: 'Messages',
  graphs: [
    {
      title: 'Without an outcome',
      queries: { '{{status}}': 'max by (status) (mostrador_messages_unsettled)' },
    },
    {
      title: 'The oldest without an outcome',
      unit: 's',
      queries: { '{{status}}': 'max by (status) (mostrador_messages_oldest_seconds)' },
    },
    {
      title: 'The oldest message of a customer waits',
      unit: 's',
      queries: { inbound: 'max(mostrador_inbound_oldest_seconds)' },
    },
    {
      title: 'Payloads of customers that failed',
      queries: { '{{code}}': 'max by (code) (mostrador_inbound_failed_payloads)' },
    },
    {
      title: 'Stores whose budget is used up',
      queries: { stores: 'max(mostrador_message_budgets_used_up)' },
    },
  ],
};

export const calendars: Row = {
  title: 'Calendars',
  graphs: [
    {
      title: 'The oldest pending sync',
      unit: 's',
      queries: { sync: 'max(mostrador_calendar_sync_oldest_seconds)' },
    },
    {
      title: 'Requests to Google a minute, by result (10,000 for a project)',
      unit: 'short',
      queries: {
        '{{result}}': 'sum by (result) (rate(mostrador_google_calendar_requests_total[$__rate_interval])) * 60',
      },
    },
    {
      title: 'Requests of the busiest Google account in a minute (600 for an account)',
      unit: 'short',
      queries: { account: 'sum(mostrador_google_calendar_busiest_account_requests)' },
    },
  ],
};

export const webhooks: Row = {
  title: 'Webhooks and feed',
  graphs: [
    {
      title: 'Attempts a second, by result',
      unit: 'reqps',
      queries: { '{{result}}': 'sum by (result) (rate(mostrador_webhook_attempts_total[$__rate_interval]))' },
    },
    {
      title: 'The oldest event waits',
      unit: 's',
      queries: { webhook: 'max(mostrador_webhook_oldest_pending_seconds)' },
    },
    {
      title: 'Endpoints',
      queries: {
        failing: 'max(mostrador_webhook_endpoints_failing)',
        'given up': 'max(mostrador_webhook_endpoints_disabled)',
      },
    },
    { title: 'Daily partitions of the feed', queries: { days: 'max(mostrador_feed_partition_days)' } },
  ],
};

export const providers: Row = {
  title: 'Providers',
  graphs: [
    {
      title: 'Calls a second',
      unit: 'reqps',
      queries: {
        '{{provider}} {{outcome}}':
          'sum by (provider, outcome) (rate(mostrador_provider_call_seconds_count[$__rate_interval]))',
      },
    },
    {
      title: 'Calls that failed',
      unit: 'percentunit',
      queries: {
        '{{provider}}':
          'sum by (provider) (rate(mostrador_provider_call_seconds_count{outcome!="ok"}[$__rate_interval])) / sum by (provider) (rate(mostrador_provider_call_seconds_count[$__rate_interval]))',
      },
    },
    {
      title: 'p95 of the calls',
      unit: 's',
      queries: {
        '{{provider}}':
          'histogram_quantile(0.95, sum by (le, provider) (rate(mostrador_provider_call_seconds_bucket[$__rate_interval])))',
      },
    },
    {
      title: 'Open circuits',
      queries: { '{{service}}': 'max by (service) (mostrador_provider_circuits_open)' },
    },
  ],
};

export const models: Row = {
  title: 'Models',
  graphs: [
    {
      title: 'Calls a second, by result',
      unit: 'reqps',
      queries: {
        '{{provider}} {{result}}': 'sum by (provider, result) (rate(mostrador_ai_model_calls_total[$__rate_interval]))',
      },
    },
    {
      title: 'Calls that failed',
      unit: 'percentunit',
      queries: {
        '{{provider}}':
          'sum by (provider) (rate(mostrador_ai_model_calls_total{result!="answered"}[$__rate_interval])) / sum by (provider) (rate(mostrador_ai_model_calls_total[$__rate_interval]))',
      },
    },
    {
      title: 'p95 of the calls',
      unit: 's',
      queries: {
        '{{provider}}':
          'histogram_quantile(0.95, sum by (le, provider) (rate(mostrador_ai_model_call_seconds_bucket[$__rate_interval])))',
      },
    },
    {
      title: 'Tokens a second',
      queries: {
        '{{provider}} {{direction}}':
          'sum by (provider, direction) (rate(mostrador_ai_model_tokens_total[$__rate_interval]))',
      },
    },
    {
      title: 'Calls to embedders a second, by result',
      unit: 'reqps',
      queries: { '{{result}}': 'sum by (result) (rate(mostrador_ai_embedder_calls_total[$__rate_interval]))' },
    },
    {
      title: 'p95 of the calls to embedders',
      unit: 's',
      queries: {
        embedder:
          'histogram_quantile(0.95, sum by (le) (rate(mostrador_ai_embedder_call_seconds_bucket[$__rate_interval])))',
      },
    },
    {
      title: 'Tokens of embedders a second',
      queries: { embedder: 'sum(rate(mostrador_ai_embedder_tokens_total[$__rate_interval]))' },
    },
    { title: 'Stores whose AI has used up its day', queries: { stores: 'max(mostrador_ai_budgets_reached)' } },
  ],
};

export const taskQueues: Row = {
  title: 'Task queues',
  graphs: [
    {
      title: 'A worker polls: 1',
      queries: { '{{task_queue}}': 'max by (task_queue) (mostrador_task_queue_served)' },
    },
    {
      title: 'Pollers',
      queries: { '{{task_queue}} {{kind}}': 'max by (task_queue, kind) (mostrador_task_queue_pollers)' },
    },
    {
      title: 'Tasks that wait',
      queries: { '{{task_queue}} {{kind}}': 'max by (task_queue, kind) (mostrador_task_queue_backlog)' },
    },
    {
      title: 'The oldest task waits',
      unit: 's',
      queries: { '{{task_queue}} {{kind}}': 'max by (task_queue, kind) (mostrador_task_queue_backlog_seconds)' },
    },
  ],
};

export const worker: Row = {
  title: 'Worker',
  graphs: [
    {
      title: 'Polls: 1',
      queries: { '{{task_queue}} {{instance}}': 'mostrador_worker_polling' },
    },
    {
      title: 'Steps in flight, of 50',
      queries: { '{{task_queue}}': 'sum by (task_queue) (mostrador_worker_steps_running)' },
    },
    {
      title: 'Workflow tasks in flight, of 100',
      queries: { '{{task_queue}}': 'sum by (task_queue) (mostrador_worker_tasks_running)' },
    },
    {
      title: 'Workflows in the cache',
      queries: { '{{task_queue}}': 'sum by (task_queue) (mostrador_worker_workflows_cached)' },
    },
  ],
};
