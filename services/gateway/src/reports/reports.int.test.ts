import { AppError } from '@mostrador/kit/rpc/errors';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { api, createClient, expectProblem } from '../../test/client.ts';
import { startTestGateway, type TestGateway } from '../../test/gateway.ts';
import {
  adCounts,
  appointmentChanges,
  leadId,
  phone,
  type ServiceName,
  sellerId,
  serveReports,
  serviceId,
} from '../../test/reports.ts';

let gateway: TestGateway;
let services: Awaited<ReturnType<typeof serveReports>>;
let storeId: string;
let send: ReturnType<typeof createClient>['send'];

beforeAll(async () => {
  gateway = await startTestGateway({ corsOrigins: 'https://console.example.com' });
  services = await serveReports(gateway);
  const { store, apiKey } = await gateway.newStore({ timezone: 'America/Sao_Paulo' });
  storeId = store.id;
  ({ send } = createClient(gateway, apiKey));
});
afterAll(() => gateway?.stop());
beforeEach(() => {
  services.asked.length = 0;
  for (const name of Object.keys(services.before) as ServiceName[]) delete services.before[name];
});

const summary = (query = '', headers = {}) => send(`${api}/reports/summary${query}`, { headers });
const ofLead = (query = '') => send(`${api}/reports/leads${query}`);
const twoDays = '?from=2026-11-19&to=2026-11-20';

describe('the summary', () => {
  test('asks all three services for the same buckets of the store’s days and combines their answers', async () => {
    const answer = await summary(`${twoDays}&bucket=day`);
    expect(answer.statusCode, answer.body).toBe(200);
    const boundaries = ['2026-11-19T03:00:00.000Z', '2026-11-20T03:00:00.000Z', '2026-11-21T03:00:00.000Z'];
    const body = { boundaries: boundaries.map((at) => Date.parse(at)) };
    expect(services.asked).toEqual(expect.arrayContaining([{ service: 'crm', storeId, body }]));
    expect(services.asked.map(({ service }) => service).sort()).toEqual(['crm', 'messaging', 'scheduling']);
    for (const asked of services.asked) expect(asked).toMatchObject({ storeId, body });

    const report = answer.json();
    expect(report.period).toEqual({ from: boundaries[0], to: boundaries[2], timezone: 'America/Sao_Paulo' });
    expect(report.leads).toEqual({
      created: 30,
      converted: 1,
      lost: 30,
      conversion_rate: 0.0333,
      by_status: { pending: 4, in_progress: 3, converted: 2, lost: 1 },
    });
    expect(report.conversations.messages_outbound).toEqual({ ai: 30, seller: 30, api: 30, followup: 30 });
    expect(report.conversations.by_ad).toEqual([adCounts]);
    expect(report.appointments).toEqual({
      created: 30,
      without_lead: 30,
      ...appointmentChanges(30),
      by_status: { scheduled: 4, done: 3, cancelled: 2, no_show: 1 },
      // The other seller is deleted.
      by_seller: [
        { seller_id: sellerId, name: 'Ana; Souza', ...appointmentChanges(2) },
        { seller_id: leadId, name: null, ...appointmentChanges(2) },
      ],
      by_service: [{ service_id: serviceId, name: 'Haircut', ...appointmentChanges(3) }],
    });
    expect(report.followups).toEqual({ scheduled: 30, sent: 30, failed: 30, cancelled: 30 });
    expect(report.sellers).toEqual([{ seller_id: sellerId, name: 'Ana; Souza', leads: 7, converted: 2 }]);
    expect(report.series).toMatchObject([
      {
        start: boundaries[0],
        // No lead was created, so there is no rate.
        leads: { created: 0, conversion_rate: null },
        conversations: { first_response_seconds: { p50: null, p90: null, average: null } },
      },
      { start: boundaries[1], leads: { created: 1, conversion_rate: 1 }, followups: { sent: 1 } },
    ]);
  });

  test('has no series without a bucket, and uses the requested time zone', async () => {
    const report = (await summary(`${twoDays}&timezone=Asia/Kolkata`)).json();
    expect(report).not.toHaveProperty('series');
    const period = { from: '2026-11-18T18:30:00.000Z', to: '2026-11-20T18:30:00.000Z', timezone: 'Asia/Kolkata' };
    expect(report.period).toEqual(period);
  });

  test('covers the last 30 days by default', async () => {
    const { period } = (await summary()).json();
    expect(Date.parse(period.to)).toBeGreaterThan(Date.now());
    // Clocks of São Paulo have not changed since 2019.
    expect(Date.parse(period.to) - Date.parse(period.from)).toBe(30 * 86_400_000);
  });

  test.each([
    ['from=2026-02-30', ['from']],
    ['from=20261101', ['from']],
    ['from=2026-11-01T00:00:00', ['from']],
    ['to=yesterday', ['to']],
    ['from=9999-12-31', ['from']],
    ['to=2099-01-01', ['to']],
    ['from=2026-11-20&to=2026-11-19', ['to']],
    ['from=2024-01-01&to=2025-12-31', ['from']],
    ['timezone=Europe/Atlantis', ['timezone']],
    ['timezone=%2B03:00', ['timezone']],
    ['bucket=hour', ['bucket']],
    ['lead_id=1', ['lead_id']],
    ['from=2026-11-31&to=&timezone=Mars&bucket=year', ['bucket', 'from', 'timezone', 'to']],
    ['from=9999-02-01&to=9999-01-01', ['from', 'to']],
  ])('%s is rejected with all faults, and no service gets a request', async (query, names) => {
    const problem = expectProblem(await summary(`?${query}`), 400, 'validation_failed');
    expect(problem.errors.map(({ name }: { name: string }) => name).sort()).toEqual(names);
    for (const fault of problem.errors) expect(fault).toMatchObject({ in: 'query', detail: expect.any(String) });
    expect(services.asked).toEqual([]);
  });
});

describe('a service that cannot answer', () => {
  const missing = {
    crm: ['leads', 'sellers'],
    messaging: ['conversations'],
    scheduling: ['appointments', 'followups'],
  };
  const ways: [string, () => Promise<void>][] = [
    ['is down', () => Promise.reject(new AppError('service_unavailable'))],
    ['fails', () => Promise.reject(new Error('no such column'))],
  ];

  test.each(
    ways.flatMap(([way, fail]) => (Object.keys(missing) as ServiceName[]).map((name) => ({ name, way, fail }))),
  )('$name $way: both reports get 503 with the missing parts, not lower counts', async ({ name, fail }) => {
    services.before[name] = fail;
    for (const answer of await Promise.all([
      summary(),
      ofLead(`?lead_id=${leadId}`),
      ofLead(`?customer_phone=${phone}`),
    ])) {
      const problem = expectProblem(answer, 503, 'service_unavailable');
      expect(problem.missing).toEqual(missing[name]);
      expect(answer.headers['retry-after']).toBe('1');
      expect(answer.body).not.toContain('column');
    }
  });

  test('that hangs: the report gets 503 with the missing parts before the deadline', async () => {
    const hasty = await startTestGateway({ requestTimeoutMs: 1000 });
    const { before } = await serveReports(hasty);
    const { apiKey } = await hasty.newStore();
    const { send } = createClient(hasty, apiKey);
    const released = Promise.withResolvers<void>();
    for (const name of Object.keys(missing) as ServiceName[]) {
      before[name] = () => released.promise;
      // On a machine that stands still, the others may not answer in time either.
      const answer = await waitFor(
        async () => {
          const answer = await send(`${api}/reports/summary`);
          return answer.json().missing?.join() === missing[name].join() && answer;
        },
        { description: `a report without the part of ${name}` },
      );
      expectProblem(answer, 503, 'service_unavailable');
      delete before[name];
    }
    released.resolve();
    await hasty.stop();
  });

  test('if all services fail, the error names every part', async () => {
    for (const name of Object.keys(missing) as ServiceName[]) services.before[name] = ways[0]?.[1];
    expect(expectProblem(await summary(), 503, 'service_unavailable').missing).toEqual(Object.values(missing).flat());
  });

  test('an unknown lead still gets lead_not_found', async () => {
    services.before.messaging = ways[0]?.[1];
    expectProblem(await ofLead('?lead_id=0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b6c'), 404, 'lead_not_found');
  });
});

describe("a lead's report", () => {
  test('covers all time by default, finds the lead by id or phone, and combines three answers', async () => {
    for (const query of [`lead_id=${leadId}`, `customer_phone=${phone}`]) {
      services.asked.length = 0;
      const answer = await ofLead(`?${query}`);
      expect(answer.statusCode, answer.body).toBe(200);
      const report = answer.json();
      expect(report.period).toEqual({ from: null, to: null, timezone: 'America/Sao_Paulo' });
      expect(report.lead).toMatchObject({ id: leadId, store_id: storeId, customer_phone: phone });
      expect(report.leads).toMatchObject({ created: 1, seconds_in_status: { pending: 4.5 } });
      expect(report.conversations).toMatchObject({ messages_inbound: 1, last_interaction_at: null });
      expect(report.appointments).toMatchObject({ created: 1, by_status: { scheduled: 4 } });
      expect(report.followups).toMatchObject({ sent: 1, by_status: { pending: 1, sent: 1, cancelled: 0 } });
      const others = services.asked.filter(({ service }) => service !== 'crm');
      expect(others.map(({ body }) => body)).toEqual(others.map(() => ({ lead_id: leadId, from: null, to: null })));
      expect(others).toHaveLength(2);
    }
  });

  test('covers the requested period in the requested zone', async () => {
    const report = (await ofLead(`?lead_id=${leadId}&from=2020-01-01&to=2026-11-20&timezone=UTC`)).json();
    expect(report.period).toEqual({
      from: '2020-01-01T00:00:00.000Z',
      to: '2026-11-21T00:00:00.000Z',
      timezone: 'UTC',
    });
    const { from, to } = report.period;
    for (const { body } of services.asked) expect(body).toEqual({ lead_id: leadId, from, to });
  });

  test.each([
    ['', ['lead_id']],
    [`lead_id=${leadId}&customer_phone=${phone}`, ['customer_phone', 'lead_id']],
    ['lead_id=1', ['lead_id']],
    ['customer_phone=%2B123', ['customer_phone']],
    [`lead_id=${leadId}&bucket=day`, ['bucket']],
    ['from=2026-11-20&to=2026-11-19', ['lead_id', 'to']],
  ])('%j is rejected with all faults', async (query, names) => {
    const problem = expectProblem(await ofLead(`?${query}`), 400, 'validation_failed');
    expect(problem.errors.map(({ name }: { name: string }) => name).sort()).toEqual(names);
  });
});

describe('the summary as CSV', () => {
  test('has a row for the period, for each bucket and for each seller, and each count in its column', async () => {
    const answer = await summary(`${twoDays}&bucket=day`, { accept: 'text/csv' });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    expect(answer.body.endsWith('\r\n')).toBe(true);
    const [header = [], ...rows] = answer.body
      .split('\r\n')
      .slice(0, -1)
      .map((line) => line.split(','));
    expect(header.slice(0, 6)).toEqual(['row', 'date', 'start', 'seller_id', 'seller_leads', 'leads_created']);
    expect(header).toContain('conversations_first_response_seconds_p90');
    expect(new Set(rows.map(({ length }) => length))).toEqual(new Set([header.length]));
    const named = rows.map((row) => Object.fromEntries(header.map((name, column) => [name, row[column]])));
    expect(named).toMatchObject([
      { row: 'period', date: '2026-11-19', leads_created: '30', leads_by_status_lost: '1', seller_leads: '' },
      { row: 'series', date: '2026-11-19', start: '2026-11-19T03:00:00.000Z', leads_conversion_rate: '' },
      { row: 'series', date: '2026-11-20', conversations_messages_outbound_ai: '1', leads_by_status_lost: '' },
      {
        ...{ row: 'seller', date: '', seller_id: sellerId, seller_name: '"Ana; Souza"' },
        ...{ seller_leads: '7', leads_converted: '2', leads_created: '' },
      },
    ]);
    // The CSV has every number of the JSON.
    const report = (await summary(`${twoDays}&bucket=day`)).json();
    const [{ start: _, ...first }] = report.series;
    const numbers = JSON.stringify(first).match(/(?<=:)(\d[\d.]*|null)/g) ?? [];
    const isNumber = (cell: string) => cell !== '' && cell !== first.conversations.messages_cost.currency;
    expect(rows[1]?.slice(5).filter(isNumber)).toEqual(numbers.filter((each) => each !== 'null'));
  });

  test('is sent only if Accept prefers it, and Vary names Accept', async () => {
    for (const accept of ['application/json', '*/*', 'text/csv;q=0.5, application/json', 'image/png']) {
      const answer = await summary('', { accept });
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(answer.headers.vary).toBe('Origin, Accept, Accept-Encoding');
    }
    const csv = await summary('', { accept: 'text/csv, */*;q=0.1', origin: 'https://console.example.com' });
    expect(csv.headers['content-type']).toMatch(/^text\/csv/);
    expect(csv.headers.vary).toBe('Origin, Accept, Accept-Encoding');
  });

  test('is not sent for an error, nor for a report without a table', async () => {
    expectProblem(await summary('?from=x', { accept: 'text/csv' }), 400, 'validation_failed');
    const lead = await send(`${api}/reports/leads?lead_id=${leadId}`, { headers: { accept: 'text/csv' } });
    expect(lead.headers['content-type']).toBe('application/json; charset=utf-8');
  });
});

describe('a table of the summary as CSV', () => {
  const linesOf = async (query: string) => {
    const answer = await summary(`${twoDays}&bucket=day&format=csv&${query}`);
    expect(answer.statusCode, answer.body).toBe(200);
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    return answer.body.split('\r\n').slice(0, -1);
  };
  const rowsOf = async (query: string) => {
    const [header = [], ...rows] = (await linesOf(query)).map((line) => line.split(','));
    for (const row of rows) expect(row).toHaveLength(header.length);
    return rows.map((row) => Object.fromEntries(header.map((name, column) => [name, row[column]])));
  };

  test('totals has one row with the period and every count', async () => {
    const [total, ...others] = await rowsOf('table=totals');
    expect(others).toEqual([]);
    expect(total).toMatchObject({
      from: '2026-11-19T03:00:00.000Z',
      to: '2026-11-21T03:00:00.000Z',
      timezone: 'America/Sao_Paulo',
      ...{ leads_created: '30', leads_conversion_rate: '0.0333', leads_by_status_lost: '1' },
    });
    expect(Object.values(total ?? {}).every((cell) => cell !== '')).toBe(true);
  });

  test('series has a row for each bucket, and only its counts', async () => {
    const rows = await rowsOf('table=series');
    expect(rows).toMatchObject([
      { date: '2026-11-19', start: '2026-11-19T03:00:00.000Z', leads_created: '0', leads_conversion_rate: '' },
      { date: '2026-11-20', followups_sent: '1' },
    ]);
    expect(rows[0]).not.toHaveProperty('leads_by_status_lost');
  });

  test('sellers has their names beside their ids', async () => {
    expect(await linesOf('table=sellers')).toEqual(['seller_id,name,leads,converted', `${sellerId},"Ana; Souza",7,2`]);
  });

  test('ads has a row for each ad or post that brought customers', async () => {
    expect(await linesOf('table=ads')).toEqual([
      'source_type,source_id,source_url,headline,messages,leads,new_leads',
      'ad,120,https://fb.me/1,"Cut; colour",5,4,3',
    ]);
  });

  test('semicolons, decimal commas and a byte order mark come on request', async () => {
    const [header, ...rows] = await linesOf('table=totals&delimiter=semicolon&bom=true');
    expect(header).toMatch(/^\uFEFFfrom;to;timezone;leads_created;/);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.split(';')).toContain('0,0333');
  });

  test('JSON ignores what is only for CSV', async () => {
    const answer = await summary('?table=series&delimiter=comma&bom=false');
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  test('format decides before Accept', async () => {
    const answer = await summary('?format=json', { accept: 'text/csv' });
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    const csv = await summary('?format=csv', { accept: 'application/json' });
    expect(csv.headers['content-type']).toMatch(/^text\/csv/);
  });

  test.each([
    ['format=xml', ['format']],
    ['format=csv&table=leads&delimiter=;&bom=1', ['bom', 'delimiter', 'table']],
    ['format=csv&table=series', ['bucket']],
  ])('%s is rejected with all faults, and no service gets a request', async (query, names) => {
    services.asked.length = 0;
    const problem = expectProblem(await summary(`?${query}`), 400, 'validation_failed');
    expect(problem.errors.map(({ name }: { name: string }) => name).sort()).toEqual(names);
    expect(services.asked).toEqual([]);
  });
});

test('reports need the scope reports:read', async () => {
  const { apiKey } = await gateway.newStore({ scopes: ['leads:read', 'messages:read', 'appointments:read'] });
  for (const path of ['summary', `leads?lead_id=${leadId}`]) {
    const answer = await send(`${api}/reports/${path}`, { key: apiKey });
    expect(expectProblem(answer, 403, 'scope_required').required_scope).toBe('reports:read');
  }
});
