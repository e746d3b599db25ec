import { expect, test } from 'vitest';
import { createHostPlaces, hostOf } from './host-places.ts';

const stores = (count: number) => Array.from({ length: count }, (_, number) => `store ${number}`);

test('attempts at one host never take more than a fifth of the process, however many endpoints and stores lead there', () => {
  const places = createHostPlaces();
  const taken = () => stores(200).map((store) => places.take('slow.example.com', store, 20));
  const got = taken().reduce((sum, count) => sum + count);
  expect(got).toBe(100);
  expect(taken().every((count) => count === 0)).toBe(true);
  expect(places.take('fast.example.com', 'store 0', 20)).toBe(20);
});

test('a store that sends alone to a host may use all of `max_in_flight`, and leaves places to the others', () => {
  const places = createHostPlaces();
  for (let endpoint = 0; endpoint < 50; endpoint++) places.take('shared.example.com', 'many', 20);
  for (const store of stores(20)) expect(places.take('shared.example.com', store, 1)).toBe(1);
  expect(createHostPlaces().take('shared.example.com', 'one', 20)).toBe(20);
});

test('places that are given back wake as many of those that wait, the first come first', () => {
  const places = createHostPlaces();
  const host = 'slow.example.com';
  const woken: number[] = [];
  const got = places.take(host, 'one', 20);
  for (const number of [1, 2, 3]) places.whenGiven(host, () => woken.push(number));
  places.give(host, 'one', 1);
  expect(woken).toEqual([1]);
  places.give(host, 'one', got - 1);
  expect(woken).toEqual([1, 2, 3]);
  places.whenGiven(host, () => woken.push(4));
  expect(woken).toEqual([1, 2, 3, 4]);
});

test.each([
  ['https://Hooks.Example.com:8443/a', 'hooks.example.com'],
  ['https://hooks.example.com./b', 'hooks.example.com'],
  ['http://127.0.0.1:8081/', '127.0.0.1'],
])('the host of %s is %s, whatever the port', (address, host) => {
  expect(hostOf(address)).toBe(host);
});
