import { type ApiDocument, eventSchemasOf, operationsOf, problemsOf } from '../document.ts';

/**
 * The document as the generator of the Python SDK gets it: a tag is a resource, and an operation's id is its verb. So
 * `leads.create` becomes the function `create` of the class `LeadsResource`.
 */
export function pythonDocument(document: ApiDocument): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const { method, path, operationId, parameters = [], ...operation } of operationsOf(document)) {
    const [resource = '', verb = ''] = operationId.split('.');
    // A 304 would be no result of a function.
    const sent = parameters.filter(({ name }) => method !== 'get' || name !== 'If-None-Match');
    paths[path] = { ...paths[path], [method]: { ...operation, tags: [resource], operationId: verb, parameters: sent } };
  }
  return { ...document, paths };
}

const pascalCase = (words: string): string =>
  words.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** `problems.py`: an error class for each code. */
export function pythonProblems(document: ApiDocument): string {
  const problems = problemsOf(document);
  const models = [...new Set(problems.map(({ schema }) => schema))].sort();
  const classes = problems.map(
    ({ code, schema, status, title }) => `class ${pascalCase(code)}(ProblemError):
    """${title} (${status})."""

    problem: ${schema}


`,
  );
  return `from .._errors import ProblemError
from .models import ${models.join(', ')}

${classes.join('')}BY_CODE: dict[str, tuple[type[ProblemError], type[${models.join(' | ')}]]] = {
${problems.map(({ code, schema }) => `    "${code}": (${pascalCase(code)}, ${schema}),\n`).join('')}}
`;
}

/** `events.py`: the model of each type of event. */
export function pythonEvents(document: ApiDocument): string {
  const events = eventSchemasOf(document);
  return `from typing import TypeAlias

from .models import ${['Event', ...events.map(({ schema }) => schema)].join(', ')}

KnownEvent: TypeAlias = ${events.map(({ schema }) => schema).join(' | ')}
FeedEvent: TypeAlias = KnownEvent | Event

BY_TYPE: dict[str, type[KnownEvent]] = {
${events.map(({ type, schema }) => `    "${type}": ${schema},\n`).join('')}}
`;
}
