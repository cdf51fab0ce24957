/** A JSON Schema as a server sent it: nothing about it is certain. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/** A JSON object whose members are not known. */
export type JsonObject = { [key: string]: unknown };
