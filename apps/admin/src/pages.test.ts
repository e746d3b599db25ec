import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from './program.ts';

// The commands that the pages show exist, with their options.

const root = resolve(import.meta.dirname, '../../..');
const pages = globSync(['docs/**/*.md', '*.md', 'services/gateway/guides/**/*.md'], { cwd: root });
const program = createProgram({
  platform: {} as never,
  terminal: { print: () => {}, note: () => {}, readInput: async () => '' } as never,
  environment: {},
});
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
const asCommand = /^(?:mostrador|npm run admin --|docker compose run --rm admin) +(?=[a-z])(.*)$/;
const textOf = (page: string): string => readFileSync(join(root, page), 'utf8').replaceAll(/\\\n\s*/g, ' ');

/** The lines of code and the inline code of a page that call the command, without what names it. */
function callsIn(page: string): string[] {
  const lines = textOf(page)
    .split('\n')
    .map((line) => line.trim());
  const inline = lines.flatMap((line) => [...line.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code));
  return [...lines, ...inline].flatMap((code) => asCommand.exec(code)?.[1] ?? []);
}

/** What does not exist of a call. */
function faultsOf(call: string): string[] {
  const words = call.replace(/ #.*$| [<|>].*$/, '').split(/\s+/);
  const named = (of: Command, name = ''): Command | undefined => of.commands.find((each) => each.name() === name);
  const noun = named(program, words[0]);
  if (!noun) return [`${call}: there is no command ${words[0]}`];
  // A page may name all verbs at once, or none: `waiting list | retry`, `mostrador waiting`.
  const verb = noun.commands.length > 0 && words[1] ? named(noun, words[1]) : noun;
  if (!verb) return [`${call}: ${words[0]} has no ${words[1]}`];
  const known = [...verb.options, ...program.options].map(({ long }) => long);
  return words
    .flatMap((word) => /^--[a-z][a-z-]*/.exec(word)?.[0] ?? [])
    .filter((option) => option !== '--help' && !known.includes(option))
    .map((option) => `${call}: there is no option ${option}`);
}

test('every command that a page shows exists, with its options', () => {
  const calls = pages.flatMap(callsIn);
  expect(calls.length).toBeGreaterThan(100);
  expect(calls.flatMap(faultsOf)).toEqual([]);
});

test.each(['sotre list', 'store lst', 'store update --rate-limits 5', 'doctor --data x'])('`%s` is found', (call) => {
  expect(faultsOf(call)).toHaveLength(1);
});

test('every script of npm that a page names exists', () => {
  const named = pages.flatMap((page) => [...textOf(page).matchAll(/\bnpm run ([a-z:]+)/g)].map(([, name]) => name));
  expect(named.length).toBeGreaterThan(30);
  expect([...new Set(named)].filter((name) => !(`${name}` in scripts))).toEqual([]);
});
