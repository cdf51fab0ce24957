import { z } from "zod";
import { type ConfigurationChange, removeServer } from "../engine/edit_configuration.ts";
import { defineOperation, type Operation } from "./define.ts";
import { configurationChange } from "./server_add.ts";

/** Takes a server out of a configuration file. */
export const serverRemove: Operation<
  { name: string; from?: "project" | "user" | undefined },
  ConfigurationChange
> = defineOperation({
  id: "server.remove",
  summary: "Take a server out of a configuration file.",
  description: "The nearest file of mcpx's own that has it is changed; the old content is kept beside it.",
  examples: [{ command: "mcpx servers remove notes", note: "from the nearest file that has it" }],
  effect: "destructive",
  http: { method: "DELETE", path: "/v1/config/servers/{name}" },
  input: z.strictObject({
    name: z.string().min(1).describe("The server's name."),
    from: z.enum(["project", "user"]).optional().describe("Whose file it is taken out of."),
  }),
  output: configurationChange,
  cli: {
    commands: [{ words: ["servers", "remove"], positional: ["name"] }],
    fields: { name: { completion: "server" } },
    render: "fields",
  },
  settings: [],
  errors: ["forbidden", "unknown-server", "invalid-config", "state-unwritable"],
  streams: false,
  admin: "Changing which servers there are is for whoever runs mcpx.",
  run: (input, { engine }) => removeServer(engine, input),
});
