/** A URI template as far as completing and owning URIs goes: its literal parts and its variables, in order. */
export interface UriTemplate {
  /** Matches the URIs that fill it; one group for each variable. */
  readonly pattern: RegExp;
  readonly variables: readonly string[];
}

const EXPRESSION = /\{([+#./;?&]?)([^{}]*)\}/g;
const MODIFIER = /[*]$|:\d+$/;

/**
 * Reads a URI template (RFC 6570, one value for each variable).
 *
 * @param template such as `file:///{+path}` or `repo://{owner}/{name}`
 * @returns its variables, and the pattern of the URIs that it expands to
 *
 * @example
 * ```ts
 * import { readUriTemplate } from "./uri_template.ts";
 * const { pattern, variables } = readUriTemplate("repo://{owner}/{name}");
 * console.assert(variables.join() === "owner,name" && pattern.exec("repo://a/b")?.[2] === "b");
 * ```
 */
export function readUriTemplate(template: string): UriTemplate {
  const variables: string[] = [];
  let source = "";
  let at = 0;
  for (const match of template.matchAll(EXPRESSION)) {
    source += escape(template.slice(at, match.index));
    at = match.index + match[0].length;
    const [, operator = "", list = ""] = match;
    source += list.split(",").map((text, index) => {
      const name = text.replace(MODIFIER, "");
      variables.push(name);
      return `${leader(operator, name, index)}(${
        operator === "+" || operator === "#" ? ".+?" : "[^/?#&,]+?"
      })`;
    }).join("");
  }
  source += escape(template.slice(at));
  return { pattern: new RegExp(`^${source}$`), variables };
}

/** The variables' values in a URI that fills a template; nothing where it does not. */
export function matchUriTemplate(template: string, uri: string): Record<string, string> | undefined {
  const { pattern, variables } = readUriTemplate(template);
  const match = pattern.exec(uri);
  if (!match) return undefined;
  return Object.fromEntries(variables.map((name, index) => [name, decode(match[index + 1] ?? "")]));
}

/** What stands before a variable's value, by the operator of its expression. */
function leader(operator: string, name: string, index: number): string {
  switch (operator) {
    case "#":
      return index === 0 ? "#" : ",";
    case ".":
      return "\\.";
    case "/":
      return "/";
    case ";":
      return `;${escape(name)}=`;
    case "?":
      return `${index === 0 ? "\\?" : "&"}${escape(name)}=`;
    case "&":
      return `&${escape(name)}=`;
    default:
      return index === 0 ? "" : ",";
  }
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a stray % is a character like any other
  }
}
