// Take a note about somebody or something, in the knowledge graph of the memory server.
//
// A subject that is not known yet is created; a note that it has already is not taken twice.
// @param about:string           whom or what the note is about
// @param note:string            what is to be remembered
// @param type:string = "topic"  what kind of thing a new subject is

const known = await memory.open_nodes({ names: [@about] });
if (known.entities.length === 0) {
  await memory.create_entities({ entities: [{ name: @about, entityType: @type, observations: [@note] }] });
} else {
  await memory.add_observations({ observations: [{ entityName: @about, contents: [@note] }] });
}
const { entities } = await memory.open_nodes({ names: [@about] });
return { about: @about, notes: entities[0]?.observations ?? [] };
