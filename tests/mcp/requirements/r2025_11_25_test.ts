import { clientRows } from "./client_rows.ts";
import { refusalRows } from "./refusals.ts";
import { requirements } from "./requirement.ts";
import { RevisionHost } from "./revision_host.ts";
import { serverRows } from "./server_rows.ts";

const VERSION = "2025-11-25";

requirements(`revision ${VERSION}`, () => RevisionHost.open(VERSION), [
  { of: "a server", rows: [...serverRows(VERSION), ...refusalRows(VERSION)] },
  { of: "a client", rows: clientRows(VERSION) },
]);
