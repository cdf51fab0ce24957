/** A script to check, and everything that is declared around it. */
export interface CheckRequest {
  id: number;
  source: string;
  /** The declarations of the script's globals and of the tools. */
  types: string;
}

/** What is wrong with it. */
export interface CheckAnswer {
  id: number;
  problems: TypeProblem[];
}

/** One place in a script that does not fit the types. */
export interface TypeProblem {
  line: number;
  column: number;
  /** The compiler's own number. */
  code: number;
  message: string;
}
