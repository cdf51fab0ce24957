const SUITE = "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12";

/** The revisions whose scenarios the suite holds. */
export const REVISIONS = ["2025-11-25", "2026-07-28"] as const;

/** What one run of the official suite gave. */
export interface SuiteRun {
  /** How many checks passed. */
  passed: number;
  /** `<scenario>:<check>` of those, sorted. */
  succeeded: string[];
  /** `<scenario>:<check>` of those that failed, sorted. */
  failed: string[];
}

/** Runs the official suite against a server. */
export async function runServerSuite(url: string, revision: string): Promise<SuiteRun> {
  return await run(["server", "--url", url, "--requirements", revision]);
}

/** Runs one client scenario. */
export async function runClientScenario(
  command: string,
  scenario: string,
  revision: string,
): Promise<SuiteRun> {
  return await run(["client", "--command", command, "--scenario", scenario, "--spec-version", revision]);
}

/** The client scenarios of a revision, but for those about signing in. */
export async function clientScenarios(revision: string): Promise<string[]> {
  const { stdout } = await suite(["list", "--requirements", revision], Deno.cwd());
  const text = stdout.slice(stdout.indexOf("Client scenarios"));
  const required = [...text.slice(0, text.indexOf("Run and reported")).matchAll(/^ +- (\S+)$/gm)];
  const unscored = [...text.matchAll(/^ +- (\S+) \[client\]$/gm)];
  return [...required, ...unscored].map((match) => match[1] ?? "").filter((name) =>
    !name.startsWith("auth/")
  );
}

async function run(args: string[]): Promise<SuiteRun> {
  const folder = await Deno.makeTempDir({ prefix: "mcpx-conformance-" });
  try {
    const { stdout } = await suite([...args, "-o", folder], folder);
    const result = await readChecks(folder);
    if (result.passed === 0) throw new Error(`the suite reported nothing:\n${stdout.slice(-2000)}`);
    return result;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function suite(args: string[], cwd: string): Promise<{ stdout: string }> {
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--no-lock", "--no-config", SUITE, ...args],
    cwd,
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  return { stdout: decoder.decode(stdout) + decoder.decode(stderr) };
}

async function readChecks(folder: string): Promise<SuiteRun> {
  const failed = new Set<string>();
  const succeeded = new Set<string>();
  let passed = 0;
  for await (const { name } of Deno.readDir(folder)) {
    const scenario = name.replace(/^(server|client)-/, "").replace(/-\d{4}-\d\d-\d\dT.*$/, "");
    const text = await Deno.readTextFile(`${folder}/${name}/checks.json`).catch(() => "[]");
    for (const { id, status } of JSON.parse(text) as { id: string; status: string }[]) {
      if (status === "SUCCESS") {
        passed++;
        succeeded.add(`${scenario}:${id}`);
      }
      if (status === "FAILURE") failed.add(`${scenario}:${id}`);
    }
  }
  return { passed, succeeded: [...succeeded].sort(), failed: [...failed].sort() };
}
