/** One server-sent event. */
export interface ServerSentEvent {
  event: string;
  data: string;
  /** Where the stream gave one. */
  id?: string;
}

/**
 * Reads server-sent events as they come, however the bytes are split.
 *
 * @param body the bytes of a `text/event-stream`
 * @returns the events; comments and fields other than `event`, `data` and `id` are passed over
 */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  let event = "message";
  let data: string[] = [];
  let id: string | undefined;
  for await (const bytes of body) {
    const text = decoder.decode(bytes, { stream: true });
    let from = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      pieces.push(text.slice(from, end));
      from = end + 1;
      const whole = pieces.join("");
      pieces.length = 0;
      const line = whole.endsWith("\r") ? whole.slice(0, -1) : whole;
      if (line === "") {
        if (data.length > 0) yield { event, data: data.join("\n"), ...(id === undefined ? {} : { id }) };
        [event, data, id] = ["message", [], undefined];
      } else if (line.startsWith("data:")) data.push(fieldValue(line, 5));
      else if (line.startsWith("event:")) event = fieldValue(line, 6);
      else if (line.startsWith("id:")) id = fieldValue(line, 3);
    }
    if (from < text.length) pieces.push(text.slice(from));
  }
}

function fieldValue(line: string, from: number): string {
  return line.slice(line[from] === " " ? from + 1 : from);
}
