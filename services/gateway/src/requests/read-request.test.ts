import {
  createAppointment,
  createLead,
  listAppointments,
  listLeads,
  type Operation,
  type ValidationFault,
} from '@mostrador/contracts';
import type { AppError } from '@mostrador/kit/rpc/errors';
import { describe, expect, test } from 'vitest';
import { routes } from '../routes/index.ts';
import type { Route } from '../routes/route.ts';
import { requestReader } from './read-request.ts';

const readerOf = (operation: Operation) => requestReader(routes.find((each) => each.operation === operation) as Route);
const raw = { params: {}, query: {}, body: undefined, headers: {}, rawHeaders: [], country: null };

test('the gateway forwards no defaults, because a service one version older may not know them', () => {
  const create = readerOf(createAppointment);
  const body = { title: ' Corte ', scheduled_at: '2027-01-31T06:00:00-03:00' };
  expect(create({ ...raw, body: { ...body } }).parts).toEqual({ body });
  const list = readerOf(listAppointments);
  expect(list({ ...raw, query: { page: '2' } }).parts).toEqual({ query: { page: 2 } });
});

test.each(routes.filter(({ operation: { request } }) => request.body === undefined))(
  '$method $path, which takes no body, accepts an empty object and names each member of another',
  (route) => {
    const faultsOf = (body: unknown) => {
      try {
        requestReader(route)({ ...raw, body });
        return [];
      } catch (error) {
        const { errors } = (error as AppError).members as { errors: ValidationFault[] };
        // Those of the path and the query are of no interest here.
        return errors.filter((fault) => 'pointer' in fault);
      }
    };
    expect(faultsOf(undefined)).toEqual([]);
    expect(faultsOf({})).toEqual([]);
    expect(faultsOf({ x: 1, y: 2 })).toEqual([
      { pointer: '#/x', detail: 'is not a member of this request' },
      { pointer: '#/y', detail: 'is not a member of this request' },
    ]);
    expect(faultsOf([])).toEqual([{ pointer: '#', detail: 'must be an object' }]);
  },
);

describe('a phone', () => {
  const create = readerOf(createLead);
  const list = readerOf(listLeads);
  const body = (customer_phone: unknown) => ({ name: ' Maria ', customer_phone });

  test('is forwarded as digits with the country code of the store, and the rest of the request unchanged', () => {
    const brazilian = { ...raw, country: 'BR' };
    const sent = body('(31) 97777-6666');
    expect(create({ ...brazilian, body: sent }).parts).toEqual({ body: body('5531977776666') });
    expect(sent).toEqual(body('(31) 97777-6666'));
    expect(list({ ...brazilian, query: { customer_phone: '31 97777-6666' } }).parts).toEqual({
      query: { customer_phone: '5531977776666' },
    });
    expect(create({ ...raw, body: body('+55 (31) 97777-6666') }).parts).toEqual({ body: body('5531977776666') });
  });

  test('that cannot be read is rejected with an example of the store’s country', () => {
    const faultOf = (customer_phone: unknown, country: string | null) => {
      try {
        return create({ ...raw, country, body: body(customer_phone) }).parts;
      } catch (error) {
        return error;
      }
    };
    const detail = (example: string) => `must be a phone number with its country code, such as ${example}`;
    expect(faultOf('0123', 'PT')).toMatchObject({
      code: 'validation_failed',
      detail: `#/customer_phone ${detail('351912345678')}.`,
      members: { errors: [{ pointer: '#/customer_phone', detail: detail('351912345678') }] },
    });
    expect(faultOf('(031) 97777-6666', null)).toMatchObject({
      detail: `#/customer_phone ${detail('5511961234567')}.`,
    });
    expect(faultOf(5531977776666, 'BR')).toMatchObject({ detail: '#/customer_phone must be a string.' });
    expect(() => list({ ...raw, query: { customer_phone: 'Maria' } })).toThrow('query customer_phone must be a phone');
  });
});
