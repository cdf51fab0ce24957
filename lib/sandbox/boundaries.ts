/** How well something is held: by a test that tries it, by advice alone, or not at all. */
export type Hold = "enforced" | "advisory" | "open";

/** One thing that mcpx promises of scripts, or says that it does not. */
export interface Boundary {
  /** A sentence about what cannot happen. */
  promise: string;
  /** The layers that hold it: 1 realm, 2 worker, 3 its permissions, 4 flags, 5 system, 6 daemon. */
  layers: readonly number[];
  linux: Hold;
  macos: Hold;
  /** The test that tries it: a file, and words of its title. */
  test?: { file: string; title: string };
  /** What is left, where something is. */
  open?: string;
}

const HOSTILE = "tests/integration/hostile/hostile_test.ts";
const ATTACKS = { file: HOSTILE, title: "attacks ends alone, from source" };
const LAYERS = {
  file: "tests/integration/hostile/layers_test.ts",
  title: "nothing that a script must not do is done",
};
const LIMITS = {
  file: "tests/integration/scripts_test.ts",
  title: "each limit yields its own sentence and exit status",
};

/** Every boundary around a script; the reference page and `mcpx status` are derived from it. */
export const BOUNDARIES: readonly Boundary[] = [
  {
    promise: "A script reads no file, unless its profile grants the folder.",
    layers: [1, 2, 3, 4],
    linux: "enforced",
    macos: "enforced",
    test: LAYERS,
  },
  {
    promise: "A link inside a granted folder leads to no file outside it.",
    layers: [2],
    linux: "enforced",
    macos: "enforced",
    test: { file: "lib/sandbox/real_path_test.ts", title: "holds where no permission of Deno's does" },
    open: "Only the worker's own check holds it: Deno's permission follows links.",
  },
  {
    promise: "A script writes no file outside its scratch folder.",
    layers: [1, 2, 3, 4],
    linux: "enforced",
    macos: "enforced",
    test: LAYERS,
  },
  {
    promise: "A script reaches no host that its profile does not list, by redirect and by import neither.",
    layers: [1, 2, 3, 4],
    linux: "enforced",
    macos: "enforced",
    test: LAYERS,
  },
  {
    promise: "A script runs no command that is not granted by name.",
    layers: [1, 2, 3, 4],
    linux: "enforced",
    macos: "enforced",
    test: LAYERS,
    open: "What a granted command does is bounded by nothing.",
  },
  {
    promise: "A script sees no environment variable that is not granted by name.",
    layers: [1, 2, 3, 4],
    linux: "enforced",
    macos: "enforced",
    test: LAYERS,
  },
  {
    promise: "A script cannot have the daemon give it more: no wider run, no setting, no file.",
    layers: [6],
    linux: "enforced",
    macos: "enforced",
    test: ATTACKS,
  },
  {
    promise: "No text of a script can take the daemon down: it is read there without the native parser.",
    layers: [6],
    linux: "enforced",
    macos: "enforced",
    test: { file: HOSTILE, title: "the daemon reads every attack's text before it runs" },
  },
  {
    promise: "A run leaves nothing for the next one, and cannot disturb another.",
    layers: [4, 6],
    linux: "enforced",
    macos: "enforced",
    test: ATTACKS,
  },
  {
    promise: "A run ends in time, whatever it does.",
    layers: [6, 5],
    linux: "enforced",
    macos: "enforced",
    test: LIMITS,
  },
  {
    promise: "A run uses no more CPU time than its limit.",
    layers: [6, 5],
    linux: "enforced",
    macos: "enforced",
    test: LIMITS,
    open: "On macOS the system's limit alone counts, with a second's grace.",
  },
  {
    promise: "A run's heap ends at its limit.",
    layers: [5],
    linux: "enforced",
    macos: "enforced",
    test: ATTACKS,
    open: "The compiled program bakes one heap limit for itself and its sandboxes.",
  },
  {
    promise: "A run's buffers end at a limit.",
    layers: [5],
    linux: "enforced",
    macos: "open",
    test: LIMITS,
    open: "macOS has no such limit: there the clock ends the run.",
  },
  {
    promise: "What a run prints, returns, calls, stores and writes is bounded.",
    layers: [1, 2, 6],
    linux: "enforced",
    macos: "enforced",
    test: LIMITS,
    open: "A granted command writes as much as it likes.",
  },
  {
    promise: "A sandbox dies with its daemon, in a loop too.",
    layers: [5],
    linux: "enforced",
    macos: "advisory",
    test: { file: "lib/sandbox/hostile_test.ts", title: "a sandbox dies with the daemon, in a loop too" },
    open: "Where `setpriv` is missing, and on macOS, one that loops lives until its CPU limit.",
  },
  {
    promise: "A fault in V8 or in Deno's native code lets a script out of its process.",
    layers: [],
    linux: "open",
    macos: "open",
    open:
      "With bubblewrap (Linux) what it gets is an empty file system and no network; elsewhere the daemon's user.",
  },
  {
    promise: "A script measures time finely, and sees from it what else the machine does.",
    layers: [],
    linux: "open",
    macos: "open",
    open: "performance.now counts in hundredths of a millisecond.",
  },
  {
    promise: "A script passes what it reads on to a tool that it may call.",
    layers: [],
    linux: "open",
    macos: "open",
    open: "Every visible tool is a way out: servers.groups says which are visible.",
  },
];
