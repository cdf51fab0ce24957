/**
 * mcpx as a library: the parts that stand between many MCP servers and whoever wants to use their tools, each usable alone.
 *
 * - {@link diagnoseScript} and {@link explainCall} say what is wrong with a call, what changed and when, and the smallest fix.
 * - {@link ConnectionPool} and {@link connectUpstream} keep connections to servers in both protocol eras and lease them.
 * - {@link buildSearchIndex} and {@link searchTools} find tools; {@link emitTypes} writes them as TypeScript.
 * - {@link readRecipe}, {@link renderRecipe} and {@link routeIntent} take a request in words to a script.
 * - {@link ScriptRunner} runs scripts in processes of their own, and {@link loadConfiguration} reads what hosts and mcpx call
 *   `mcpServers`.
 * - {@link openMcpx} puts all of it together: every operation, inside your program.
 *
 * @example Diagnose a script, with no daemon and no server
 * ```ts
 * import { diagnoseScript } from "./mod.ts";
 *
 * const echo = { wire: "echo", fn: "echo", inputSchema: { required: ["message"] } };
 * const namespaces = new Map([["demo", { server: "demo", tools: new Map([["echo", echo]]) }]]);
 * const [finding] = diagnoseScript("await demo.echo()", { namespaces });
 * console.assert(finding?.fix === 'await demo.echo({ message: "" })');
 * ```
 *
 * @module
 */

export {
  ERROR_CODES,
  type ErrorBody,
  type ErrorCode,
  type ErrorCodeRow,
  McpxError,
  type McpxErrorOptions,
} from "./lib/errors/mod.ts";
export { parseJson } from "./lib/json/mod.ts";
export {
  buildSearchIndex,
  type CacheHint,
  type CatalogTool,
  deriveFunctions,
  type ListCacheHints,
  type McpPrompt,
  type McpResource,
  type McpResourceTemplate,
  type McpTool,
  nearest,
  type Postings,
  type RankedTool,
  type SchemaFinding,
  type SearchIndex,
  searchTools,
  type ServerListing,
  type ToolAnnotations,
  type ToolTerms,
  type UnwrappedResult,
  unwrapResult,
} from "./lib/catalog/mod.ts";
export {
  type Answer,
  type AnswerProblem,
  type Audience,
  checkAnswer,
  type CheckedAnswer,
  type DraftFacts,
  type FieldOption,
  type FieldType,
  type FormField,
  formFields,
  type OwnDraft,
  type Question,
  type QuestionDraft,
  type QuestionKind,
  type QuestionState,
  readAnswer,
  type Route,
  routeQuestion,
  type UpstreamDraft,
} from "./lib/elicit/mod.ts";
export {
  checkToolSchemas,
  coerceArguments,
  emitNamespace,
  emitTypes,
  type FlatProperty,
  flattenSchema,
  type JsonObject,
  type JsonSchema,
  minimalValue,
  type NamespaceTypes,
  type SchemaBearer,
  signature,
  validateValue,
  type ValueProblem,
} from "./lib/schema/mod.ts";
export {
  type CatalogHistory,
  type ChangeKind,
  type ChangeLookup,
  changesIn,
  type DiagnosedCatalog,
  type DiagnosedNamespace,
  type DiagnosedTool,
  diagnoseScript,
  emptyHistory,
  explainCall,
  type FailedAnswer,
  type FailedCall,
  type Finding,
  type FindingKind,
  type HistoryKey,
  type Reading,
  type RecordedChange,
  recordListing,
  renderFindings,
  scan,
  type ScannedArgument,
  type ScannedProperty,
  type ScannedValue,
  type ScanOptions,
  type ScanResult,
  type ServerHistory,
  type ShapeField,
  type ToolCallSite,
  type ToolChange,
  type ToolHistory,
  type ToolShape,
  type Verdict,
} from "./lib/diagnose/mod.ts";
export {
  type ConfigFile,
  type ConfigSource,
  type Configuration,
  type Environment,
  loadConfiguration,
  type LoadOptions,
  type ProtocolChoice,
  type Scope,
  type ServerAuth,
  type ServerDefinition,
  type ServerTarget,
  type Sharing,
  type ToolFilter,
  type TopLevelRules,
  type TrustPolicy,
} from "./lib/config/mod.ts";
export {
  type ConnectionEnd,
  type ConnectOptions,
  type ConnectUpstream,
  connectUpstream,
  type Era,
  type RequestOptions,
  type ServerRequestHandler,
  type UpstreamConnection,
  type UpstreamTarget,
} from "./lib/mcp/mod.ts";
export {
  type CallerIdentity,
  ConnectionPool,
  type InstanceStatus,
  type InstanceView,
  type Lease,
  type LeaseOptions,
  type PoolClock,
  type PooledServer,
  type PoolEvent,
  type PoolLimits,
  type PoolOptions,
  type PoolRun,
  type RunOptions,
  type ServerFailure,
  type StopReason,
} from "./lib/pool/mod.ts";
export {
  type SandboxHost,
  type SandboxIsolation,
  type SandboxLayer,
  type ScriptCall,
  type ScriptGrants,
  type ScriptHook,
  type ScriptHooks,
  type ScriptLimits,
  type ScriptLog,
  type ScriptOutcome,
  type ScriptPort,
  type ScriptRequest,
  ScriptRunner,
  type ScriptRunnerOptions,
} from "./lib/sandbox/mod.ts";
export {
  type DecisionRule,
  type GivenValues,
  type MatchField,
  matchRecipes,
  type ParameterType,
  type RankedRecipe,
  readRecipe,
  readValues,
  type Recipe,
  type RecipeParameter,
  type RecipeProblem,
  type RecipeValues,
  renderRecipe,
} from "./lib/recipes/mod.ts";
export {
  type AutonomyReport,
  type Intent,
  type IntentAnswer,
  type IntentPorts,
  type IntentScript,
  type RecipeCandidate,
  routeIntent,
} from "./lib/intent/mod.ts";
export { type Clamp, type Layer, LAYERS } from "./lib/settings/mod.ts";
export { type InvokeOptions, type Mcpx, type McpxOptions, openMcpx } from "./lib/library/open_mcpx.ts";
export { VERSION } from "./lib/version.ts";
