/** Other programs' files of MCP servers: one table of formats, each read leniently and written strictly. @module */
export { formatOfFile } from "./any_file.ts";
export { HOSTS, OWN_FORMAT } from "./table.ts";
export type { HostFile, HostFormat, HostPlace, HostServer, PortableServer } from "./types.ts";
