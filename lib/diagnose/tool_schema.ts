import { isObject } from "../json/mod.ts";
import { argumentsRequired, flattenSchema, minimalValue } from "../schema/mod.ts";
import type { FlatProperty } from "../schema/mod.ts";
import { findProperty } from "../schema/find_property.ts";
import { SchemaDocument } from "../schema/schema_document.ts";
import { type Fit, fitsType } from "./fits_type.ts";

/** A tool's input as the findings ask it. */
export class ToolSchema {
  readonly fields: Map<string, FlatProperty>;
  /** Arguments that are not declared are refused for certain. */
  readonly closed: boolean;
  readonly #schema: unknown;
  readonly #document: SchemaDocument;

  constructor(inputSchema: unknown) {
    this.#schema = inputSchema;
    this.fields = flattenSchema(inputSchema);
    this.#document = new SchemaDocument(isObject(inputSchema) ? inputSchema : true);
    this.closed = isObject(inputSchema) && inputSchema.additionalProperties === false;
  }

  /** Names of the arguments that every call needs. */
  get required(): string[] {
    return [...this.fields].filter(([, field]) => field.required).map(([name]) => name);
  }

  /** Whether no argument at all cannot fit, whichever alternative is taken. */
  get argumentsRequired(): boolean {
    return argumentsRequired(this.#document);
  }

  /** Whether anything can be told of names that are not declared. */
  get declaresArguments(): boolean {
    if (this.fields.size === 0) return false;
    const open = isObject(this.#schema) &&
      (isObject(this.#schema.patternProperties) || isObject(this.#schema.additionalProperties));
    return !open;
  }

  /** How surely a value is of the argument's type. */
  fits(field: string, value: unknown, whole = true): Fit {
    const resolve = (reference: string): unknown => this.#document.resolve(reference)?.schema;
    return fitsType(this.#property(field), value, { resolve, whole });
  }

  /** Whether a value is of the argument's type for certain, with everything in it. */
  accepts(field: string, value: unknown): boolean {
    const resolve = (reference: string): unknown => this.#document.resolve(reference)?.schema;
    return fitsType(this.#property(field), value, { resolve, deep: true }) === "fits";
  }

  /** The smallest value of the argument's type. */
  minimal(field: string): unknown {
    return minimalValue(this.#property(field), this.#document.root);
  }

  /** The smallest argument object that fits. */
  minimalArguments(): { readonly [key: string]: unknown } {
    const value = minimalValue(this.#document.root);
    return isObject(value) ? value : {};
  }

  #property(field: string): unknown {
    return findProperty(this.#document.root, field, this.#document) ?? true;
  }
}
