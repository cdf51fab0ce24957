/** Whether somebody listens on a socket. */
export async function accepts(socket: string): Promise<boolean> {
  try {
    (await Deno.connect({ transport: "unix", path: socket })).close();
    return true;
  } catch (error) {
    if (isDeserted(error)) return false;
    if (error instanceof Deno.errors.WouldBlock) return true; // somebody listens, and is busy
    throw error;
  }
}

/** Whether a connection failed since nobody listens: there is no socket, nobody is behind it, or whoever was stopped just then. */
export function isDeserted(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.ConnectionRefused ||
    error instanceof Deno.errors.ConnectionReset;
}
