/** The reason why a file cannot be imported. The message continues a sentence that begins with the file's name. */
export class DocumentFault extends Error {}

export type Extracted = {
  /** The title inside the document. */
  readonly title: string | undefined;
  readonly text: string;
};
