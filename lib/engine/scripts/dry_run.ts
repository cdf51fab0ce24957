import { unwrapResult } from "../../catalog/mod.ts";
import { type JsonObject, minimalValue } from "../../schema/mod.ts";
import type { Caller } from "../caller.ts";
import type { Engine } from "../engine.ts";

/** A call that a dry run did not make. */
export interface PlannedCall {
  /** `<namespace>.<fn>`, or `artifact`. */
  tool: string;
  arguments: JsonObject;
}

const SHOWN = 200;
const MOST_SHOWN = 50;

/** Keeps a script from changing anything: calls that say of themselves that they only read are made, the others are written down. */
export class DryRun {
  readonly planned: PlannedCall[] = [];
  /** Whether the script was given less than it will be. */
  withheld = false;
  readonly #engine: Engine;
  readonly #caller: Caller;

  constructor(engine: Engine, caller: Caller) {
    this.#engine = engine;
    this.#caller = caller;
  }

  /** Whether nothing was held back, so that the run was the real one. */
  get isWhole(): boolean {
    return this.planned.length === 0 && !this.withheld;
  }

  /**
   * Answers a call in the place of its tool.
   *
   * @returns the JSON text of a stand-in, marked in `raw._meta`; nothing for a call that is to be made
   * @throws {McpxError} as the call would for a name that is no tool's
   */
  async standIn(name: string, sent: JsonObject): Promise<string | undefined> {
    const { tool, namespace, fn } = await this.#engine.resolveTool(name, this.#caller);
    if (tool.annotations?.readOnlyHint === true) return undefined;
    const called = `${namespace}.${fn}`;
    this.planned.push({ tool: called, arguments: sent });
    const structuredContent = tool.outputSchema === undefined ? undefined : minimalValue(tool.outputSchema);
    const raw: JsonObject = {
      content: [{ type: "text", text: `(dry run: ${called} was not called)` }],
      ...(structuredContent === undefined ? {} : { structuredContent }),
      _meta: { "dev.mcpx/dryRun": true },
    };
    return JSON.stringify({ value: unwrapResult(raw).value, raw });
  }

  /** Answers for an artifact that is not stored. */
  artifact(name: string, bytes: number, mimeType: string): string {
    this.planned.push({ tool: "artifact", arguments: { name, bytes, mimeType } });
    return JSON.stringify({ id: "art-0000000000000000", name, path: "", mimeType, bytes, dryRun: true });
  }

  /** A sentence for each call, for people. */
  notes(): string[] {
    const shown = this.planned.slice(0, MOST_SHOWN).map(({ tool, arguments: sent }) => {
      const text = JSON.stringify(sent);
      return `Would call ${tool}(${text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text}).`;
    });
    const more = this.planned.length - shown.length;
    return more > 0 ? [...shown, `… and ${more} more.`] : shown;
  }
}
