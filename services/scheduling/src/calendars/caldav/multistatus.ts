import { parseXml, XmlElement } from '@rgrove/parse-xml';

/** What a server says of one resource. */
export type DavResponse = {
  readonly href: string;
  /** Of the resource, or undefined if each property has its own. */
  readonly status: number | undefined;
  /** The properties that the server found. */
  readonly props: readonly XmlElement[];
};

/**
 * Reads the responses of a `multistatus` (RFC 4918 14.16). Undefined: the answer is none. Names are compared without their
 * namespaces, which some servers write wrong.
 *
 * @throws XmlError when it is not well-formed
 */
export const readMultistatus = async (answer: Response): Promise<DavResponse[] | undefined> =>
  (await readSync(answer))?.responses;

/** The same, with the token that the answer to a `sync-collection` has (RFC 6578 6.4). */
export async function readSync(
  answer: Response,
): Promise<{ responses: DavResponse[]; token: string | undefined } | undefined> {
  if (!answer.headers.get('content-type')?.toLowerCase().includes('xml')) return undefined;
  // This parser stops at the first error, and its time grows with the length only: a server may answer anything.
  const { root } = parseXml(await answer.text());
  if (!root || localName(root) !== 'multistatus') return undefined;
  const responses = childrenOf(root, 'response').map((response) => ({
    href: textOf(response, 'href') ?? '',
    status: statusOf(response),
    props: childrenOf(response, 'propstat')
      .filter((propstat) => isFound(statusOf(propstat)))
      .flatMap((propstat) => childrenOf(propstat, 'prop'))
      .flatMap((prop) => childrenOf(prop)),
  }));
  return { responses, token: textOf(root, 'sync-token') || undefined };
}

/** The elements in an element, with this name or with any. */
export const childrenOf = (element: XmlElement, name?: string): XmlElement[] =>
  element.children.filter(
    (child): child is XmlElement => child instanceof XmlElement && (name === undefined || localName(child) === name),
  );

/** The name of an element without its prefix. */
export const localName = ({ name }: XmlElement): string => name.slice(name.indexOf(':') + 1);

const textOf = (element: XmlElement, name: string): string | undefined => childrenOf(element, name)[0]?.text.trim();

/** The code in the status line of an element, such as `HTTP/1.1 200 OK`. */
const statusOf = (element: XmlElement): number | undefined => {
  const code = /^HTTP\/\S+ (\d{3})/.exec(textOf(element, 'status') ?? '')?.[1];
  return code === undefined ? undefined : Number(code);
};

const isFound = (status: number | undefined): boolean => status === undefined || (status >= 200 && status < 300);
