/** What a type-checking process runs when mcpx is started from source. @module */
import { typeCheckMain } from "./checker_main.ts";

await typeCheckMain();
