import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream';

/** The server-sent events of a response (https://html.spec.whatwg.org/multipage/server-sent-events.html), until it ends. */
export async function* eventStream(response: Response): AsyncGenerator<EventSourceMessage> {
  const body = response.body as ReadableStream<Uint8Array<ArrayBuffer>>;
  yield* body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
}
