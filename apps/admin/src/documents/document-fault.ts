/** Why a file's text could not be had, in words for the person who gave the file. */
export class DocumentFault extends Error {}

export type Extracted = {
  /** The title that the document gives itself. */
  readonly title: string | undefined;
  readonly text: string;
};
