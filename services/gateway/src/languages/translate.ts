import { type ErrorCode, errorCatalogue, type ValidationFault } from '@mostrador/contracts';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import type { Language } from './language.ts';
import { ptBrDetails, ptBrWords } from './pt-br-details.ts';
import { ptBrErrors } from './pt-br-errors.ts';

/** Title and description of an error in a language. */
export const errorTexts = (code: ErrorCode, language: Language): { title: string; description: string } =>
  language === 'en' ? errorCatalogue[code] : ptBrErrors[code];

/**
 * A problem document in a language: the texts of `title`, `detail` and `errors` change, and nothing else does. Services
 * write English, so that they need not know who asks. A text without a translation stays English, such as that of a
 * newer service.
 */
export function inLanguage<P extends { code: ErrorCode; title: string; detail: string; errors?: unknown }>(
  problem: P,
  language: Language,
): P {
  if (language === 'en') return problem;
  const { code, detail } = problem;
  const { title, description } = errorTexts(code, language);
  if (Array.isArray(problem.errors)) {
    const faults: readonly ValidationFault[] = problem.errors;
    const errors = faults.map((fault) => ({ ...fault, detail: translate(fault.detail) ?? fault.detail }));
    return { ...problem, title, detail: ofFaults(detail, faults, errors), errors };
  }
  const isDefault = detail === errorCatalogue[code].description;
  return { ...problem, title, detail: isDefault ? description : (translate(detail) ?? detail) };
}

/** The detail of `validation_failed` names the first fault. */
function ofFaults(detail: string, faults: readonly ValidationFault[], errors: readonly ValidationFault[]): string {
  const isKnown = detail === validationFailed(faults).detail && faults[0]?.detail !== errors[0]?.detail;
  if (!isKnown) return detail;
  return validationFailed(errors)
    .detail.replace(/^The body /, 'O corpo ')
    .replace(/ \(and (\d+) more, see errors\)\.$/, ' (e mais $1; veja errors).');
}

/** A detail in Brazilian Portuguese; undefined: it has no translation. */
export function translate(detail: string): string | undefined {
  const whole = exact.get(detail);
  if (whole !== undefined) return whole;
  for (const { pattern, names, portuguese } of templates) {
    const found = pattern.exec(detail)?.slice(1);
    const values = found?.map((value, index) => translateValue(names[index] ?? '', value));
    if (values === undefined || values.includes(undefined)) continue;
    return portuguese.replaceAll(placeholder, (_, name: string) => values[names.indexOf(name)] ?? '');
  }
  return undefined;
}

const placeholder = /\{(\w+)\}/g;

/** `{type2}` is a second `{type}`. */
const kindOf = (name: string): string => name.replace(/\d+$/, '');

function formOf(name: string): string {
  const kind = kindOf(name);
  if (kind === 'number') return '-?\\d+(?:\\.\\d+)?';
  const words = ptBrWords[kind];
  return words === undefined ? '.+' : Object.keys(words).join('|');
}

type Template = { readonly pattern: RegExp; readonly names: readonly string[]; readonly portuguese: string };

function createTemplate([english, portuguese]: readonly [string, string]): Template {
  const names = [...english.matchAll(placeholder)].map(([, name = '']) => name);
  const escaped = english.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&');
  const pattern = escaped.replaceAll(placeholder, (_, name: string) => `(${formOf(name)})`);
  return { pattern: new RegExp(`^${pattern}$`, 's'), names, portuguese };
}

const exact: ReadonlyMap<string, string> = new Map(ptBrDetails);
const templates = ptBrDetails.filter(([english]) => english.includes('{')).map(createTemplate);

function translateValue(name: string, value: string): string | undefined {
  const kind = kindOf(name);
  if (kind === 'phrase') return translate(value);
  const words = ptBrWords[kind];
  return words === undefined ? value : words[value];
}
