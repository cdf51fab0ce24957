// Remember the files of a folder in the knowledge graph of the memory server.
//
// mcpx run remember_folder folder=/some/folder

const folder = String(args.folder ?? "");
if (folder === "") throw new Error("Name a folder: mcpx run remember_folder folder=/some/folder");

const listing = await filesystem.list_directory({ path: folder });
const files = String(listing.content ?? listing)
  .split("\n")
  .filter((line) => line.startsWith("[FILE] "))
  .map((line) => line.slice("[FILE] ".length));

await memory.create_entities({
  entities: [{ name: folder, entityType: "folder", observations: files.map((file) => `holds ${file}`) }],
});
const graph = await memory.open_nodes({ names: [folder] });
log.info(`remembered ${files.length} files`, { folder });

return { folder, files, remembered: graph.entities.length };
