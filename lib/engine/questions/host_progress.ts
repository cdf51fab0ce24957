import { isObject } from "../../json/mod.ts";
import type { InstanceView } from "../../pool/mod.ts";
import type { JsonObject } from "../../schema/mod.ts";
import type { CallerAnswers } from "../caller_answers.ts";

/** A host's answers, with the progress that it makes on them told to the instance that asked, where that asked for it. */
export function withProgress(answers: CallerAnswers, instance: InstanceView): CallerAnswers {
  return {
    can: (method, params) => answers.can(method, params),
    ask: (method, params, signal) => {
      const { _meta } = params;
      const progressToken = isObject(_meta) ? _meta.progressToken : undefined;
      if (progressToken === undefined) return answers.ask(method, params, signal);
      return answers.ask(method, params, signal, (progress: JsonObject) => {
        // A server that has gone wants to know no more.
        instance.connection?.notify("notifications/progress", { ...progress, progressToken })
          .catch(() => undefined);
      });
    },
  };
}
