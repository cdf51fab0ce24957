/** What a request takes as its answer. */
export interface Acceptance {
  json: boolean;
  events: boolean;
}

/** Reads `Accept`; a request without it takes everything. */
export function readAccept({ headers }: Request): Acceptance {
  const ranges = (headers.get("accept") ?? "*/*").split(",").map(readRange);
  return { json: takes(ranges, "application/json"), events: takes(ranges, "text/event-stream") };
}

/** One media range with its weight, parameters left out. */
interface MediaRange {
  type: string;
  weight: number;
}

function readRange(text: string): MediaRange {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((one) => /^q\s*=/.test(one))?.replace(/^q\s*=\s*/, "");
  return { type, weight: weight === undefined ? 1 : Number(weight) };
}

/** The most exact range decides, as in RFC 9110, section 12.5.1. */
function takes(ranges: readonly MediaRange[], type: string): boolean {
  for (const range of [type, `${type.split("/")[0]}/*`, "*/*"]) {
    const found = ranges.filter((one) => one.type === range);
    // What cannot be read as a weight refuses nothing.
    if (found.length > 0) return found.some(({ weight }) => weight !== 0);
  }
  return false;
}
