// Remember what is in a folder: its files go into the knowledge graph of the memory server.
//
// The folder is one that the filesystem server may read.
// @param folder:string   the folder whose files are remembered

const { content } = await filesystem.list_directory({ path: @folder });
const files = content.split("\n")
  .filter((line) => line.startsWith("[FILE] "))
  .map((line) => line.slice("[FILE] ".length));

await memory.create_entities({
  entities: [{ name: @folder, entityType: "folder", observations: files.map((file) => `holds ${file}`) }],
});
const graph = await memory.open_nodes({ names: [@folder] });
log.info(`remembered ${files.length} files`, { folder: @folder });

return { folder: @folder, files, remembered: graph.entities.length };
