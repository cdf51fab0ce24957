/**
 * Intents: a request in words, taken stage by stage to a saved script, a proposed one, or an honest list of candidates.
 *
 * @module
 */
export { type AutonomyReport, readAutonomy, type Stop, stopOf } from "./clamp.ts";
export { type GenerationRequest, generationRequest, type OfferedTool, readGeneration } from "./generation.ts";
export { type MatchedIntent, matchIntent, type RecipeCandidate } from "./match_intent.ts";
export {
  type Intent,
  type IntentAnswer,
  type IntentPorts,
  type IntentScript,
  routeIntent,
} from "./route_intent.ts";
