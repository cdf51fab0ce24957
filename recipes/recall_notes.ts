// Recall everything that the memory server knows about something, with what it is related to.
// @param about:string         words that a name, a type or a note contains
// @param limit:integer = 20   how many subjects at most

const { entities, relations } = await memory.search_nodes({ query: @about });
const found = entities.slice(0, @limit);
const names = new Set(found.map(({ name }) => name));
return {
  found: found.map(({ name, entityType, observations }) => ({ name, type: entityType, notes: observations })),
  relations: relations.filter(({ from, to }) => names.has(from) || names.has(to))
    .map(({ from, to, relationType }) => `${from} ${relationType} ${to}`),
  more: entities.length - found.length,
};
