import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8');
const tokens = new Map(
  [...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g)].map(
    ([, name = '', light = '', dark = '']) => [name, { light, dark }] as const,
  ),
);
type Theme = 'light' | 'dark';
const colour = (name: string, theme: Theme): string => {
  const token = tokens.get(name);
  if (!token) throw new Error(`there is no token --${name}`);
  return token[theme];
};

const channels = (hex: string): number[] => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
/** Relative luminance, as WCAG 2.2 defines it. */
function luminance(hex: string): number {
  const linear = channels(hex).map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  const [red = 0, green = 0, blue = 0] = linear;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

/** Between blue and pink on the colour wheel, and not nearly grey. */
function isPurple(hex: string): boolean {
  const [red = 0, green = 0, blue = 0] = channels(hex);
  const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  if (most - least < 8 / 255 || blue !== most) return false;
  return 240 + (60 * (red - green)) / (most - least) > 245;
}

test('every colour of the file is a token with both themes, or only darkens', () => {
  const others = css
    .replaceAll(/\/\*.*?\*\//gs, '')
    .split('\n')
    .filter((line) => !/^ {2}--[\w-]+: light-dark\(#[0-9a-f]{6}, #[0-9a-f]{6}\);$/.test(line))
    .filter((line) => /#|light-dark|rgb|hsl|hwb|lab|lch|color|purple|violet|magenta|plum|orchid/i.test(line));
  expect(others.map((line) => line.trim())).toEqual([
    'color-scheme: light dark;',
    '--scrim: light-dark(#17181b59, #000000a6);',
    '--shadow: 0 0 0 1px var(--line), 0 8px 24px light-dark(#17181b1f, #00000080);',
    '--lift: 0 1px 2px light-dark(#17181b0d, #00000040);',
    'color-scheme: light;',
    'color-scheme: dark;',
  ]);
  expect(tokens.size).toBeGreaterThan(20);
});

test.each(['#6b2fb3', '#cda6ff', '#8000ff', '#800080', '#c77dff', '#f3eafd', '#2c1b45'])('%s is purple', (hex) => {
  expect(isPurple(hex)).toBe(true);
});
test.each(['#1f62d6', '#2f5f9e', '#17181b', '#ffffff', '#b3241f', '#68cf95'])('%s is not purple', (hex) => {
  expect(isPurple(hex)).toBe(false);
});

describe.each<Theme>(['light', 'dark'])('in the %s theme', (theme) => {
  test.each([
    ['api', 'api-soft'],
    ['api', 'page'],
    ['api', 'surface'],
    ['ink', 'api-soft'],
    ['ink', 'page'],
    ['ink', 'selected'],
    ['ink-soft', 'page'],
    ['ink-soft', 'surface'],
    ['ink-soft', 'raised'],
    ['ink-soft', 'hover'],
    ['on-ink', 'ink'],
    ['on-ink', 'bad-fill'],
    ['link', 'page'],
    ['ahead', 'ahead-soft'],
    ['good', 'good-soft'],
    ['warn', 'warn-soft'],
    ['bad', 'bad-soft'],
    ['bad', 'surface'],
  ])('%s is readable on %s', (text, ground) => {
    expect(contrast(colour(text, theme), colour(ground, theme))).toBeGreaterThanOrEqual(4.5);
  });

  test.each(['page', 'surface', 'raised'])('the focus and the edges of controls are visible on %s', (ground) => {
    const people = [1, 2, 3, 4, 5, 6].map((person) => `person-${person}`);
    for (const edge of ['focus', 'line-strong', ...people])
      expect(contrast(colour(edge, theme), colour(ground, theme)), edge).toBeGreaterThanOrEqual(3);
  });

  test('only messages of the API are purple', () => {
    const purple = [...tokens.keys()].filter((name) => isPurple(colour(name, theme)));
    expect(purple).toEqual(['api', 'api-soft']);
  });
});
