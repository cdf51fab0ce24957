/** What a parameter's value may be. */
export type ParameterType =
  | "string"
  | "number"
  | "integer"
  | "boolean"
  | "array"
  | "object"
  | "json"
  | "enum";

/** One hole of a recipe, as its header declares it. */
export interface RecipeParameter {
  /** Its name. */
  name: string;
  /** What its value may be. */
  type: ParameterType;
  /** The words of an enum. */
  values?: readonly string[];
  /** What it is for. */
  description: string;
  /** Absent where a value is required. */
  default?: { value: unknown };
  /** Its line in the source, from 1. */
  line: number;
}

/** Something in a recipe that keeps it from being run. */
export interface RecipeProblem {
  /** A sentence. */
  message: string;
  /** What to do about it. */
  hint?: string;
  /** From 1. */
  line: number;
}

/** A script that declares its own holes. */
export interface Recipe {
  /** Its name. */
  name: string;
  /** The header's first paragraph in one line. */
  summary: string;
  /** What else the header says. */
  description: string;
  /** Its holes, in the order of the header. */
  parameters: readonly RecipeParameter[];
  /** Whether it is offered as an MCP tool. */
  isTool: boolean;
  /** The tools that it calls, `<namespace>.<function>`, in the order of the alphabet. */
  tools: readonly string[];
  /** Why it cannot be run. */
  problems: readonly RecipeProblem[];
  /** The script as it is written. */
  source: string;
}
