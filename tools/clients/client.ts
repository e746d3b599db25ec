import type { SmokeInput } from './platform.ts';

/** Where a client is made and tried. */
export type Workplace = {
  /** The folder of this client alone. */
  readonly folder: string;
  /** The OpenAPI document as a file. */
  readonly document: string;
  /** The folder of this repository's `tools/clients/smoke/<name>`. */
  readonly smoke: string;
  /** Where compilers keep what they download and build. Later runs use it again. */
  readonly cache: string;
  /** The folder with the programs of `requirements.txt`, Python among them. */
  readonly python: string;
};

/** A generator and what is done with its client. */
export type Client = {
  readonly name: string;
  /** For openapi-generator: its name there. It gets no options. */
  readonly generator?: string;
  /** Any other generator. */
  generate?(place: Workplace): Promise<void>;
  /** The folder below `Workplace.folder` with a file for each model, and the name of the model in such a file's name. */
  readonly models?: { readonly folder: string; readonly file: RegExp };
  /** Compiles the client together with its smoke call. */
  compile?(place: Workplace): Promise<void>;
  /** Calls the API. Without it the client is only generated. */
  call?(place: Workplace, input: SmokeInput & { readonly SMOKE_PHONE: string }): Promise<void>;
};
