import type { TemplateButton, TemplateComponent } from '@mostrador/contracts';
import { describe, expect, test } from 'vitest';
import { faultsOfValues } from './faults-of-values.ts';

const part = (type: TemplateComponent['type'], more: Partial<TemplateComponent> = {}): TemplateComponent => ({
  ...{ type, text: null, format: null, buttons: [] },
  ...more,
});
const text = (value: string, name?: string) => ({ type: 'text', text: value, ...(name && { parameter_name: name }) });
const body = (...parameters: unknown[]) => ({ type: 'body', parameters });
const header = (...parameters: unknown[]) => ({ type: 'header', parameters });
const button = (index: unknown, sub_type: string, ...parameters: unknown[]) => ({
  type: 'button',
  sub_type,
  index,
  parameters,
});
const at = '#/template/components';

type Case = [string, unknown[], string[]];
const pointers = (
  components: TemplateComponent[],
  given: unknown[],
  variables: 'positional' | 'named' = 'positional',
) => faultsOfValues({ variables, components }, given).map((fault) => ('pointer' in fault ? fault.pointer : ''));

describe('a body with two positional variables', () => {
  test.each<Case>([
    ['gets two texts', [body(text('a'), text('b'))], []],
    ['gets an amount and a time', [body({ type: 'currency', currency: {} }, { type: 'date_time', date_time: {} })], []],
    ['gets none', [], [at]],
    ['gets one', [body(text('a'))], [`${at}/0/parameters`]],
    ['gets three', [body(text('a'), text('b'), text('c'))], [`${at}/0/parameters`]],
    ['gets no list', [{ type: 'body', parameters: 'a' }], [`${at}/0/parameters`]],
    ['gets an empty text', [body(text('a'), text(' '))], [`${at}/0/parameters/1/text`]],
    ['gets an image', [body(text('a'), { type: 'image', image: {} })], [`${at}/0/parameters/1/type`]],
    ['gets an amount without its value', [body(text('a'), { type: 'currency' })], [`${at}/0/parameters/1/currency`]],
    ['gets two bodies', [body(text('a'), text('b')), body()], [`${at}/1/type`]],
    [
      'gets a component of no kind',
      [body(text('a'), text('b')), { type: 'carousel' }, {}],
      [`${at}/1/type`, `${at}/2/type`],
    ],
    [
      'gets values of a header that it does not have',
      [body(text('a'), text('b')), header(text('c'))],
      [`${at}/1/parameters`],
    ],
    [
      'gets values of a button that it does not have',
      [body(text('a'), text('b')), button(0, 'url', text('c'))],
      [`${at}/1/index`],
    ],
  ])('that %s', (_, given, expected) => {
    expect(pointers([part('body', { text: '{{1}} {{2}} {{1}}' })], given)).toEqual(expected);
  });
});

describe('a body with the variables `name` and `time`', () => {
  test.each<Case>([
    ['gets both, in any order', [body(text('a', 'time'), text('b', 'name'))], []],
    [
      'gets them without names',
      [body(text('a'), text('b'))],
      [`${at}/0/parameters/0/parameter_name`, `${at}/0/parameters/1/parameter_name`],
    ],
    ['gets one twice', [body(text('a', 'name'), text('b', 'name'))], [`${at}/0/parameters/1/parameter_name`]],
  ])('that %s', (_, given, expected) => {
    expect(pointers([part('body', { text: '{{name}} {{time}}' })], given, 'named')).toEqual(expected);
  });
});

describe('a header', () => {
  test.each<[string, Partial<TemplateComponent>, unknown[], string[]]>([
    ['with an image gets one', { format: 'image' }, [header({ type: 'image', image: { link: 'x' } })], []],
    ['with an image gets none', { format: 'image' }, [], [at]],
    ['with an image gets a video', { format: 'image' }, [header({ type: 'video', video: {} })], [`${at}/0/parameters`]],
    [
      'with an image gets it without its content',
      { format: 'image' },
      [header({ type: 'image' })],
      [`${at}/0/parameters/0/image`],
    ],
    ['with a place gets one', { format: 'location' }, [header({ type: 'location', location: {} })], []],
    ['with a variable gets a text', { format: 'text', text: '{{1}}' }, [header(text('a'))], []],
    [
      'with a variable gets an amount',
      { format: 'text', text: '{{1}}' },
      [header({ type: 'currency', currency: {} })],
      [`${at}/0/parameters/0/type`],
    ],
    ['without a variable gets a text', { format: 'text', text: 'Hi' }, [header(text('a'))], [`${at}/0/parameters`]],
    ['of a newer kind gets anything', { format: 'unknown' }, [header({ type: 'gif' })], []],
  ])('%s', (_, defined, given, expected) => {
    expect(pointers([part('header', defined)], given)).toEqual(expected);
  });
});

describe('the buttons', () => {
  const buttons: TemplateButton[] = [
    { type: 'quick_reply', text: 'Yes', url: null },
    { type: 'url', text: 'See', url: 'https://example.com/{{1}}' },
    { type: 'url', text: 'Home', url: 'https://example.com' },
    { type: 'copy_code', text: 'Copy', url: null },
    { type: 'unknown', text: 'New', url: null },
  ];
  const needed = [button('1', 'url', text('a')), button(3, 'COPY_CODE', { type: 'coupon_code', coupon_code: 'X1' })];
  test.each<Case>([
    ['that need values get them', needed, []],
    [
      'get a payload and something newer, too',
      [...needed, button(0, 'quick_reply', { type: 'payload' }), button(4, 'flow')],
      [],
    ],
    ['get no values', [], [at, at]],
    ['get a value of another kind', [button(1, 'url', { type: 'payload' }), needed[1]], [`${at}/0/parameters`]],
    ['get an empty value', [button(1, 'url', text('')), needed[1]], [`${at}/0/parameters`]],
    ['get a value for another type of button', [button(1, 'quick_reply', text('a')), needed[1]], [`${at}/0/sub_type`]],
    ['get a value for an address without a variable', [...needed, button(2, 'url', text('a'))], [`${at}/2`]],
    [
      'get a value for no button',
      [...needed, button(9, 'url'), button(null, 'url'), button('x', 'url')],
      [`${at}/2/index`, `${at}/3/index`, `${at}/4/index`],
    ],
    ['get a value twice', [...needed, needed[0]], [`${at}/2/index`]],
  ])('%s', (_, given, expected) => {
    expect(pointers([part('buttons', { buttons })], given)).toEqual(expected);
  });
});

test('a text of more than 4,096 characters is refused', () => {
  const components = [part('body', { text: '{{1}} {{1}}' })];
  expect(pointers(components, [body(text('é'.repeat(2_047)))])).toEqual([]);
  expect(pointers(components, [body(text('é'.repeat(2_048)))])).toEqual([at]);
});

test('what the template has beside parts of a newer kind is checked, and the rest is not', () => {
  const components = [part('unknown'), part('body', { text: '{{1}}' })];
  expect(pointers(components, [{ type: 'carousel', cards: [] }, body(text('a')), header(), button(0, 'url')])).toEqual(
    [],
  );
  expect(pointers(components, [{ type: 'carousel', cards: [] }])).toEqual([at]);
  expect(pointers([part('unknown')], [body(text('a'))])).toEqual([]);
});
