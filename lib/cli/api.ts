/** One request to the daemon's API. */
export interface ApiRequest {
  method: string;
  /** Path and query. */
  path: string;
  headers: Record<string, string>;
  /** JSON text. */
  body?: string;
}

/** An answer whose body has not been read yet. */
export interface ApiResponse {
  status: number;
  /** Names in lower case. */
  headers: ReadonlyMap<string, string>;
  body: AsyncIterable<Uint8Array>;
}

/** The daemon's API, wherever it runs: behind a socket, or in this process. One request at a time. */
export interface Api {
  request(request: ApiRequest, signal: AbortSignal): Promise<ApiResponse>;
  close(): Promise<void> | void;
}

/** Reads a body to its end. */
export async function readText(response: ApiResponse): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}
