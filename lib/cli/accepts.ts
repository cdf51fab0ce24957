/** Whether somebody listens on a socket. */
export async function accepts(socket: string): Promise<boolean> {
  try {
    (await Deno.connect({ transport: "unix", path: socket })).close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.ConnectionRefused) return false;
    if (error instanceof Deno.errors.WouldBlock) return true; // somebody listens, and is busy
    throw error;
  }
}
