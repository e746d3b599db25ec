import { getLeadReport, getSummaryReport } from '@mostrador/contracts';
import { readCsvQuery } from '../reports/summary-csv.ts';
import { get, type Route, route } from './route.ts';

const read = { tag: 'Reports', scope: 'reports:read' } as const;

export const reportRoutes: readonly Route[] = [
  route(get('/reports/summary'), getSummaryReport, { ...read, csv: readCsvQuery }),
  route(get('/reports/leads'), getLeadReport, read),
];
