/**
 * Scripts in sandbox processes: {@link ScriptRunner} runs them, and `host.ts` is what such a process does (a door of its own, so that the daemon does not load it).
 *
 * @module
 */
export { type SandboxHost, type SandboxIsolation } from "./command.ts";
export { ScriptRunner, type ScriptRunnerOptions } from "./runner.ts";
export { TypeChecker, type TypeCheckerOptions } from "./types/type_checker.ts";
export type { TypeProblem } from "./types/messages.ts";
export type {
  SandboxLayer,
  ScriptCall,
  ScriptGrants,
  ScriptHook,
  ScriptHooks,
  ScriptLimits,
  ScriptLog,
  ScriptOutcome,
  ScriptPort,
  ScriptRequest,
} from "./types.ts";
