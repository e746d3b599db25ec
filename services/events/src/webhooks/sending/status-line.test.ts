import { expect, test } from 'vitest';
import { statusIn } from './status-line.ts';

test.each<[string, number]>([
  ['HTTP/1.1 200 OK\r\n', 200],
  ['HTTP/1.1 204\r\n\r\n', 204],
  ['HTTP/1.0 503 Service Unavailable\r\nbad header\r\n', 503],
  ['\r\nHTTP/1.1 200 OK\r\n', 200],
  ['HTTP/1.1 200 OK\nx: y\n\n', 200],
  ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\n', 201],
  ['HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 410 Gone\r\n', 410],
  ['HTTP/1.1 101 Switching Protocols\r\n', 101],
  ['HTTP/1.1 999 Odd\r\n', 999],
])('%j has the status %d', (received, status) => {
  expect(statusIn(received)).toBe(status);
  // The rest decides nothing.
  expect(statusIn(`${received}\0 HTTP/1.1 500 No\r\n\r\n`)).toBe(status);
});

test.each([
  '',
  'HTTP/1.1 200 OK',
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 100 Continue\r\nHTTP/1.1 200 OK\r\n',
  'HTTP/1.1 20 OK\r\n',
  'HTTP/1.1 2000 OK\r\n',
  'HTTP/1.1 000 None\r\n',
  'ICY 200 OK\r\n',
  'HTTP/2 200\r\n',
  'x HTTP/1.1 200 OK\r\n',
])('%j has none', (received) => {
  expect(statusIn(received)).toBeUndefined();
});
