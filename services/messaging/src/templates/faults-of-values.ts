import type { TemplateButton } from '@mostrador/contracts';
import { array, member, object, text } from '../channels/json.ts';
import type { ProviderTemplate } from '../channels/provider-template.ts';
import { renderTemplate, typeOf, variablesOf } from '../channels/render-template.ts';

type Definition = Pick<ProviderTemplate, 'variables' | 'components'>;
/** As a `ValidationFault` of the body. */
type Fault = { readonly pointer: string; readonly detail: string };
type Part = ProviderTemplate['components'][number];
/** A component of the request, and where it stands in it. */
type Given = { readonly component: unknown; readonly at: string };

/** As of any other message. WhatsApp itself accepts less. */
const maxTextLength = 4096;
const root = '#/template/components';

/**
 * Why the values do not fit the template: their number, their kind, and the buttons that they are for. What the channel
 * has that this server does not know is not checked.
 */
export function faultsOfValues(definition: Definition, components: readonly unknown[]): Fault[] {
  const given = components.map((component, index): Given => ({ component, at: `${root}/${index}` }));
  const ofType = (type: string) => given.filter(({ component }) => typeOf(component) === type);
  const isOpen = definition.components.some(({ type }) => type === 'unknown');
  const part = (type: Part['type']) => definition.components.find((one) => one.type === type);
  const known: ReadonlySet<string> = new Set(['header', 'body', 'button']);
  const faults = [
    ...(['header', 'body'] as const).flatMap((type) => {
      const defined = part(type);
      if (!defined && isOpen) return [];
      return faultsOfPart(definition, type, defined, ofType(type));
    }),
    ...(part('buttons') || !isOpen ? faultsOfButtons(part('buttons')?.buttons ?? [], ofType('button')) : []),
    ...(isOpen ? [] : given)
      .filter(({ component }) => !known.has(typeOf(component)))
      .map(({ at }) => ({ pointer: `${at}/type`, detail: 'must be one of: header, body, button' })),
  ];
  if (faults.length > 0 || [...renderTemplate(definition, components)].length <= maxTextLength) return faults;
  return [{ pointer: root, detail: `must make a text of at most ${maxTextLength} characters` }];
}

function faultsOfPart(
  { variables }: Definition,
  type: 'header' | 'body',
  defined: Part | undefined,
  [first, second]: readonly Given[],
): Fault[] {
  if (second) return [{ pointer: `${second.at}/type`, detail: 'is in another component already' }];
  if (defined?.format === 'unknown') return [];
  const isMedia = defined?.type === 'header' && defined.format !== 'text';
  const names = variablesOf(defined?.text ?? null);
  if (!first) {
    if (isMedia)
      return [{ pointer: root, detail: `must have a \`header\` with a parameter of type \`${defined.format}\`` }];
    if (names.length === 0) return [];
    return [
      { pointer: root, detail: `must have a \`${type}\` with a parameter for each of its ${names.length} variables` },
    ];
  }
  const parameters = array(member(first.component, 'parameters')) ?? [];
  const at = `${first.at}/parameters`;
  if (isMedia) return faultsOfMedia(String(defined.format), parameters, at);
  const types = type === 'body' ? ['text', 'currency', 'date_time'] : ['text'];
  if (parameters.length !== names.length) {
    return [{ pointer: at, detail: `must have ${names.length} parameters, one for each variable of the \`${type}\`` }];
  }
  return [
    ...(variables === 'named' ? faultsOfNames(names, parameters, at) : []),
    ...parameters.flatMap((parameter, index) => faultsOfParameter(parameter, types, `${at}/${index}`)),
  ];
}

function faultsOfMedia(format: string, parameters: readonly unknown[], at: string): Fault[] {
  const [parameter] = parameters;
  if (parameters.length !== 1 || typeOf(parameter) !== format) {
    return [{ pointer: at, detail: `must have one parameter of type \`${format}\`` }];
  }
  if (object(member(parameter, format))) return [];
  return [{ pointer: `${at}/0/${format}`, detail: 'is required' }];
}

/** Each variable has one value, because there are as many values as variables. */
function faultsOfNames(names: readonly string[], parameters: readonly unknown[], at: string): Fault[] {
  const left = new Set(names);
  return parameters.flatMap((parameter, index) => {
    if (left.delete(text(member(parameter, 'parameter_name')))) return [];
    const detail = `must be one of: ${names.join(', ')}`;
    return [{ pointer: `${at}/${index}/parameter_name`, detail }];
  });
}

function faultsOfParameter(parameter: unknown, types: readonly string[], at: string): Fault[] {
  const type = typeOf(parameter);
  if (!types.includes(type)) {
    return [{ pointer: `${at}/type`, detail: `must be one of: ${types.join(', ')}` }];
  }
  if (type === 'text') {
    return text(member(parameter, 'text')).trim() === ''
      ? [{ pointer: `${at}/text`, detail: 'must not be empty' }]
      : [];
  }
  return object(member(parameter, type)) ? [] : [{ pointer: `${at}/${type}`, detail: 'is required' }];
}

/** The type of the parameter that a button needs. Undefined: it needs none. */
function neededBy({ type, url }: TemplateButton): 'text' | 'coupon_code' | undefined {
  if (type === 'url') return variablesOf(url).length > 0 ? 'text' : undefined;
  return type === 'copy_code' ? 'coupon_code' : undefined;
}

function faultsOfButtons(buttons: readonly TemplateButton[], given: readonly Given[]): Fault[] {
  const filled = new Set<number>();
  const ofGiven = given.flatMap(({ component, at }) => {
    const index = Number(member(component, 'index') ?? Number.NaN);
    const button = buttons[index];
    if (!button || filled.has(index)) {
      return [{ pointer: `${at}/index`, detail: 'must be the index of a button of the template, each once' }];
    }
    filled.add(index);
    if (button.type === 'unknown') return [];
    if (text(member(component, 'sub_type')).toLowerCase() !== button.type) {
      return [{ pointer: `${at}/sub_type`, detail: `must be \`${button.type}\`, as in the template` }];
    }
    const needed = neededBy(button);
    // The payload of a quick reply is the caller's own.
    if (button.type === 'quick_reply') return [];
    if (!needed) return [{ pointer: at, detail: 'is for a button without a variable' }];
    const parameters = array(member(component, 'parameters')) ?? [];
    const isFilled = parameters.length === 1 && typeOf(parameters[0]) === needed;
    if (isFilled && text(member(parameters[0], needed)).trim() !== '') return [];
    return [{ pointer: `${at}/parameters`, detail: `must have one parameter of type \`${needed}\`` }];
  });
  const missing = buttons.flatMap((button, index) => {
    if (!neededBy(button) || filled.has(index)) return [];
    return [{ pointer: root, detail: `must have a \`button\` with the index ${index}` }];
  });
  return [...ofGiven, ...missing];
}
