/** The text of a service definition that starts the daemon with the user's session; nothing is installed. */
export function serviceUnit(kind: "systemd" | "launchd", command: readonly string[]): string {
  if (kind === "systemd") {
    return [
      "# ~/.config/systemd/user/mcpx.service; then: systemctl --user enable --now mcpx",
      "[Unit]",
      "Description=mcpx daemon",
      "",
      "[Service]",
      "Type=simple",
      `ExecStart=${command.map(quote).join(" ")}`,
      "Restart=on-failure",
      "",
      "[Install]",
      "WantedBy=default.target",
      "",
    ].join("\n");
  }
  const words = command.map((word) => `      <string>${escapeXml(word)}</string>`).join("\n");
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    "<!-- ~/Library/LaunchAgents/mcpx.plist; then: launchctl load ~/Library/LaunchAgents/mcpx.plist -->",
    `<plist version="1.0">`,
    "  <dict>",
    "    <key>Label</key>",
    "    <string>mcpx</string>",
    "    <key>ProgramArguments</key>",
    "    <array>",
    words,
    "    </array>",
    "    <key>RunAtLoad</key>",
    "    <true/>",
    "  </dict>",
    "</plist>",
    "",
  ].join("\n");
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `"${word.replace(/["\\$]/g, "\\$&")}"`;
}

function escapeXml(word: string): string {
  return word.replace(
    /[&<>]/g,
    (character) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[character] ?? character,
  );
}
