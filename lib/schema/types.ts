/** A JSON Schema as a server sent it: nothing about it is certain. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/** A JSON object whose members are not known. */
export type JsonObject = { [key: string]: unknown };

/** A schema that is an object. */
export type SchemaObject = { readonly [keyword: string]: unknown };

/** One parameter of a tool, as help, search and the schema history see it. */
export interface FlatProperty {
  /** Its type in one line, such as `string`, `integer`, `"a" | "b"`, `{ q: string }[]`. */
  type: string;
  /** Whether it has to be given. */
  required: boolean;
  /** What it means. */
  description?: string;
  /** What is taken where it is not given. */
  default?: unknown;
  /** The values that are allowed, where the schema lists them. */
  enum?: readonly unknown[];
}
