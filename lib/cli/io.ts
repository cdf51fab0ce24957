import { onSignals } from "./signals.ts";

/** Where bytes go: `Deno.stdout`, or a test's buffer. */
export interface ByteSink {
  write(bytes: Uint8Array): Promise<number>;
}

/** Everything of the outside world that the command line touches, so that a test can stand in for it. */
export interface CliIo {
  stdout: ByteSink;
  stderr: ByteSink;
  /** Standard input as it comes. */
  openStdin(): ReadableStream<Uint8Array>;
  /** Reads standard input to its end. */
  readStdin(): Promise<Uint8Array>;
  isTerminal: { stdin: boolean; stdout: boolean; stderr: boolean };
  /** Width of the terminal, where there is one. */
  columns(): number;
  env(name: string): string | undefined;
  cwd: string;
  /** The process that the command was started by. */
  parentPid: number;
  /**
   * Calls `handler` on Ctrl-C, TERM and HUP, with the exit status that tells which it was; gives the function that stops listening.
   */
  onInterrupt(handler: (status: number) => void): () => void;
  /** The exit status of the signal that came last, once one has come. */
  interruptedWith?: () => number | undefined;
  /** Ends the process at once. */
  exit(status: number): never;
  /** The program that a daemon is started by; this one, where absent. */
  daemonCommand?(args: readonly string[]): string[];
}

/** The real standard streams, environment and signals of this process. */
export function processIo(): CliIo {
  let interruptedWith: number | undefined;
  return {
    stdout: Deno.stdout,
    stderr: Deno.stderr,
    openStdin: () => Deno.stdin.readable,
    readStdin: async () => new Uint8Array(await new Response(Deno.stdin.readable).arrayBuffer()),
    isTerminal: {
      stdin: Deno.stdin.isTerminal(),
      stdout: Deno.stdout.isTerminal(),
      stderr: Deno.stderr.isTerminal(),
    },
    columns,
    env: (name) => Deno.env.get(name),
    cwd: Deno.cwd(),
    parentPid: Deno.ppid,
    onInterrupt: (handler) =>
      onSignals((status) => {
        interruptedWith = status;
        handler(status);
      }),
    interruptedWith: () => interruptedWith,
    exit: (status) => Deno.exit(status),
  };
}

function columns(): number {
  try {
    return Deno.consoleSize().columns || 80;
  } catch {
    return 80;
  }
}
