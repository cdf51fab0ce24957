const URL_PATTERN = /\b(?:https?|wss?|ftp|file|data):[^\s"'<>)\]`]{3,500}/gi;
/** Characters that a person does not see, which text for a model may hide in. */
const HIDDEN = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u;

/** What a sentence says that tells a model what to do rather than what the tool does. */
const INSTRUCTIONS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass)\b/i,
  /\b(?:do not|don't|never)\s+(?:tell|mention|inform|reveal|show|ask|say|disclose)\b/i,
  /\b(?:you|the (?:assistant|model|agent|ai|llm)) (?:must|should|have to|need to|are to|will)\b/i,
  /\b(?:always|first|must|make sure to|be sure to|remember to)\s+(?:call|read|send|use|run|include|pass|add|fetch|open|execute|copy)\b/i,
  /\b(?:before|after|instead of) (?:using|calling|running|you (?:use|call|run))\b/i,
  /<\/?(?:important|system|instructions?|secret|admin)\b/i,
  /\bsystem prompt\b/i,
  /(?:~\/|\.ssh\b|\.env\b|\bid_rsa\b|\bcredentials?\b|\bpasswords?\b|\bapi keys?\b|\bprivate keys?\b|\bsecrets?\b)/i,
];

/**
 * Says what texts gained that a person should read: URLs, instructions to a model, hidden characters.
 *
 * Text that only moved is not new.
 *
 * @param before all texts of a tool as they were
 * @param after all its texts as they are
 * @returns one sentence for each thing gained, without full stops; at most five
 *
 * @example
 * ```ts
 * import { gainedText } from "./text_flags.ts";
 * console.assert(gainedText("Adds.", "Adds. See https://x.example/").length === 1);
 * ```
 */
export function gainedText(before: string, after: string): string[] {
  const flags: string[] = [];
  const known = new Set(urlsOf(before));
  for (const url of urlsOf(after)) {
    if (!known.has(url)) flags.push(`the description gained a URL: ${shorten(url)}`);
  }
  const said = new Set(sentencesOf(before).map(normal));
  for (const sentence of sentencesOf(after)) {
    if (said.has(normal(sentence))) continue;
    if (INSTRUCTIONS.some((pattern) => pattern.test(sentence))) {
      flags.push(`the description gained an instruction: ${shorten(sentence)}`);
    }
  }
  if (HIDDEN.test(after) && !HIDDEN.test(before)) {
    flags.push("the description gained characters that are not shown");
  }
  return [...new Set(flags)].slice(0, 5);
}

function urlsOf(text: string): string[] {
  return [...text.matchAll(URL_PATTERN)].map(([url]) => url.replace(/[.,;:!?]+$/, ""));
}

function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?])\s+|[\r\n]+/).map((sentence) => sentence.trim()).filter((sentence) =>
    sentence !== ""
  );
}

function normal(sentence: string): string {
  return sentence.toLowerCase().replace(/[\s\p{P}]+/gu, " ").trim();
}

function shorten(text: string): string {
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
