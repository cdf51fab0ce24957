import assert from "node:assert/strict";
import fc from "fast-check";
import { loadGradedQueries, loadOwnQueries, measureRetrieval } from "../../bench/retrieval.ts";
import { buildSearchIndex } from "./search_index.ts";
import { searchTools } from "./search_tools.ts";
import type { CatalogTool, McpTool } from "./types.ts";

function tool(name: string, rest: Omit<McpTool, "name"> = {}): CatalogTool {
  const [namespace = "", wire = ""] = name.split(/:(.*)/s);
  const fn = wire.replace(/[^A-Za-z0-9_]/g, "_");
  return { namespace, fn, server: namespace, tool: { name: wire, ...rest }, findings: [] };
}

function names(tools: CatalogTool[], query: string, limit?: number): string[] {
  return searchTools(buildSearchIndex(tools), query, { limit })
    .map(({ tool }) => `${tool.namespace}:${tool.tool.name}`);
}

const graded = loadGradedQueries();
const own = loadOwnQueries();
const gradedIndex = buildSearchIndex(graded.tools);
const ownIndex = buildSearchIndex(own.tools);

Deno.test("graded queries are answered far better than by plain BM25", () => {
  const { r1, r5, mrr } = measureRetrieval(gradedIndex, graded.queries);
  assert.ok(r1 > 0.58, `R@1 ${r1} (floor 0.482)`);
  assert.ok(r5 > 0.9, `R@5 ${r5} (floor 0.723)`);
  assert.ok(mrr > 0.8, `MRR ${mrr} (floor 0.628)`);
});

Deno.test("queries over 527 real tools find theirs", () => {
  const { r1, r5, mrr } = measureRetrieval(ownIndex, own.queries);
  assert.ok(r1 > 0.58, `R@1 ${r1}`);
  assert.ok(r5 > 0.8, `R@5 ${r5}`);
  assert.ok(mrr > 0.75, `MRR ${mrr}`);
});

Deno.test("a name in any writing finds its tool first", () => {
  const tools = [
    tool("a:getUserProfile"),
    tool("a:list-users"),
    tool("b:get_profile"),
    tool("b:user.delete"),
  ];
  for (const query of ["get user profile", "getUserProfile", "GET_USER-PROFILE", "getuserprofile"]) {
    assert.equal(names(tools, query)[0], "a:getUserProfile", query);
  }
  assert.equal(names(tools, "deleting users")[0], "b:user.delete");
});

Deno.test("one typing error still finds: left out, put in, replaced, swapped", () => {
  const tools = [
    tool("fs:search_files", { description: "Find files." }),
    tool("fs:make_directory", { description: "Make a place." }),
    tool("git:commit"),
  ];
  for (const query of ["serch", "seaarch", "seerch", "serach", "earch", "searcg"]) {
    assert.equal(names(tools, query)[0], "fs:search_files", query);
  }
  for (const query of ["direcotry", "directry", "dirrectory"]) {
    assert.equal(names(tools, query)[0], "fs:make_directory", query);
  }
  assert.equal(names(tools, "gti")[0], "git:commit");
});

Deno.test("every name word of the real tools is found with two neighbours swapped", () => {
  const words = ["weather", "screenshot", "container", "geocode", "footnote", "spreadsheet", "transcript"];
  for (const word of words) {
    const swapped = `${word.slice(0, 3)}${word[4]}${word[3]}${word.slice(5)}`;
    const right = searchTools(ownIndex, word, { limit: 5 }).map(({ tool }) => tool);
    const got = searchTools(ownIndex, swapped, { limit: 5 }).map(({ tool }) => tool);
    assert.ok(got.some((one) => right.includes(one)), `${swapped}: ${got.map(({ fn }) => fn)}`);
  }
});

Deno.test("an exact word is worth more than one that is a typing error away", () => {
  assert.deepEqual(names([tool("a:form"), tool("a:from"), tool("a:other")], "form")[0], "a:form");
});

Deno.test("beginnings of words and joined or divided words find", () => {
  const tools = [tool("a:configuration_show"), tool("a:webpage"), tool("b:user_name"), tool("c:other")];
  assert.equal(names(tools, "configur")[0], "a:configuration_show");
  assert.equal(names(tools, "web page")[0], "a:webpage");
  assert.equal(names(tools, "username")[0], "b:user_name");
  const sources = [tool("a:list_datasource"), tool("b:list_data"), tool("c:list_source"), tool("d:other")];
  assert.equal(names(sources, "list data source")[0], "a:list_datasource");
});

Deno.test("fields are weighed in one score: a name that fits outweighs a description, much description outweighs a name", () => {
  const inName = tool("a:resize");
  const inText = tool("a:other", { description: "Can also resize." });
  assert.deepEqual(names([inText, inName], "resize"), ["a:resize", "a:other"]);
  const passing = tool("a:image_list");
  const right = tool("a:scale", { description: "Change width and height of an image, keeping proportions." });
  assert.equal(names([passing, right], "change width and height of an image")[0], "a:scale");
});

Deno.test("parameter names, their descriptions, choices and titles are searched", () => {
  const tools = [
    tool("a:x", { inputSchema: { type: "object", properties: { latitude: { type: "number" } } } }),
    tool("a:y", { inputSchema: { properties: { p: { description: "An email address" } } } }),
    tool("a:z", { inputSchema: { properties: { q: { enum: ["celsius", "kelvin"] } } } }),
    tool("a:w", { title: "Telescope" }),
    tool("a:v", { inputSchema: { properties: { list: { items: { properties: { zipcode: {} } } } } } }),
  ];
  const rows = [["latitude", "a:x"], ["email", "a:y"], ["kelvin", "a:z"], ["telescope", "a:w"], [
    "zipcode",
    "a:v",
  ]];
  for (const [query, name] of rows) assert.deepEqual(names(tools, query ?? "", 1), [name]);
});

Deno.test("other scripts are searched", () => {
  const first = (query: string): string | undefined => searchTools(ownIndex, query)[0]?.tool.tool.name;
  assert.equal(first("微博热搜"), "get-weibo-trending");
  assert.equal(names([tool("a:b", { description: "Прогноз погоды" }), tool("a:c")], "погоды")[0], "a:b");
});

Deno.test("equal scores come in the order of namespace and function", () => {
  const tools = [tool("b:echo"), tool("a:echo"), tool("c:echo")];
  assert.deepEqual(names(tools, "echo"), ["a:echo", "b:echo", "c:echo"]);
});

Deno.test("the order of the tools given changes nothing, scores included", () => {
  const queries = own.queries.slice(0, 10).map(({ query }) => query);
  const sample = own.tools.slice(0, 120);
  const expected = queries.map((query) => searchTools(buildSearchIndex(sample), query));
  fc.assert(
    fc.property(fc.shuffledSubarray(sample, { minLength: sample.length }), (shuffled) => {
      const index = buildSearchIndex(shuffled);
      assert.deepEqual(queries.map((query) => searchTools(index, query)), expected);
    }),
    { numRuns: 10 },
  );
});

Deno.test("an index built on an earlier one answers as one built anew, and sees what changed", () => {
  const before = own.tools.slice(0, 300);
  const changed = {
    ...(before[7] as CatalogTool),
    tool: { name: "get_it", description: "Zeppelin timetable" },
  };
  const after = [...before.filter((_, at) => at !== 7), changed, ...own.tools.slice(300, 310)];
  const renewed = buildSearchIndex(after, { previous: buildSearchIndex(before) });
  const anew = buildSearchIndex(after);
  for (const query of ["zeppelin", "bazi solar", "weather", "create file"]) {
    assert.deepEqual(searchTools(renewed, query), searchTools(anew, query));
  }
  assert.equal(searchTools(renewed, "zeppelin")[0]?.tool, changed);
  const moved = after.map((entry) => ({ ...entry, namespace: `moved_${entry.namespace}` }));
  const index = buildSearchIndex(moved, { previous: renewed });
  assert.deepEqual(searchTools(index, "moved"), searchTools(buildSearchIndex(moved), "moved"));
});

Deno.test("limits are kept, and a query of nothing or of unknown words finds nothing", () => {
  assert.equal(searchTools(ownIndex, "get list file", { limit: 3 }).length, 3);
  assert.equal(searchTools(ownIndex, "get list file").length, 20);
  for (const limit of [0, -1]) assert.deepEqual(searchTools(ownIndex, "get", { limit }), []);
  for (const query of ["", "  ", "§§§", "xqzjvkwwq"]) assert.deepEqual(searchTools(ownIndex, query), []);
  const all = searchTools(ownIndex, "get list file", { limit: 527 });
  assert.deepEqual(searchTools(ownIndex, "get list file", { limit: 25 }), all.slice(0, 25));
});

Deno.test("any query and any schema are taken", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), fc.jsonValue(), (query, schema) => {
      const odd = tool("a:b");
      Object.assign(odd.tool, { inputSchema: schema, description: schema, title: schema });
      for (const { score } of searchTools(buildSearchIndex([odd]), query)) assert.ok(score > 0);
      searchTools(gradedIndex, query);
    }),
  );
  assert.deepEqual(
    searchTools(gradedIndex, "constructor hasOwnProperty __proto__ toString", { limit: 0 }),
    [],
  );
});
