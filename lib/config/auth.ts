import { type Field, FieldFault, isObject, readChoice, readString } from "./fields.ts";
import type { ServerAuth } from "./types.ts";

const TYPES = ["bearer", "basic", "header", "query", "oauth"] as const;

/**
 * Reads `auth`: `{ type: "bearer", token }`, or the type as the key: `{ bearer: "${TOKEN}" }`, `"oauth"`.
 *
 * @param field the value and its place
 * @returns the credentials, their strings unexpanded
 * @throws {FieldFault}
 */
export function readAuth({ value, path }: Field): ServerAuth {
  if (typeof value === "string") return fromParts(readChoice({ value, path }, TYPES), {}, path);
  if (!isObject(value)) throw new FieldFault(path, `auth must be an object with a type: ${TYPES.join(", ")}`);
  if (Object.hasOwn(value, "type")) {
    return fromParts(readChoice({ value: value.type, path: [...path, "type"] }, TYPES), value, path);
  }
  const types = TYPES.filter((type) => Object.hasOwn(value, type));
  const type = types[0];
  if (type === undefined || types.length > 1) {
    throw new FieldFault(path, `auth must have one type of ${TYPES.join(", ")}`);
  }
  const inner = value[type];
  if (type === "bearer" && typeof inner === "string") return fromParts(type, { token: inner }, path);
  return fromParts(type, isObject(inner) ? inner : {}, [...path, type]);
}

function fromParts(
  type: ServerAuth["type"],
  parts: Record<string, unknown>,
  path: readonly (string | number)[],
): ServerAuth {
  const text = (key: string): string => readString({ value: parts[key], path: [...path, key] });
  switch (type) {
    case "bearer":
      return { type, token: text("token") };
    case "basic":
      return { type, username: text("username"), password: text("password") };
    case "header":
    case "query":
      return { type, name: text("name"), value: text("value") };
    case "oauth":
      return {
        type,
        ...(parts.clientId === undefined ? {} : { clientId: text("clientId") }),
        ...(parts.clientSecret === undefined ? {} : { clientSecret: text("clientSecret") }),
        ...(parts.scope === undefined ? {} : { scope: text("scope") }),
      };
  }
}
