/** What a sandbox process runs when mcpx is started from source or from a bundle. @module */
import { sandboxMain } from "./host.ts";

await sandboxMain();
