/** What one check found. */
export interface Check {
  /** What was looked at. */
  name: string;
  state: "ok" | "warn" | "fail";
  message: string;
  /** What to do about it: a command where there is one. */
  hint?: string;
}
