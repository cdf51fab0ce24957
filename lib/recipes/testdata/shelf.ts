import { readRecipe } from "../read_recipe.ts";
import type { Recipe } from "../types.ts";

/** Name, summary, parameters and calls of thirty recipes that a team might have saved. */
const RECIPES: readonly (readonly [name: string, summary: string, parameters: string, calls: string])[] = [
  [
    "close-stale-issues",
    "Close issues nobody has touched for a while.",
    "repo:string days:number",
    "github.list_issues github.update_issue",
  ],
  [
    "triage-new-issues",
    "Label new issues and assign them to the person on duty.",
    "repo:string",
    "github.list_issues github.add_labels",
  ],
  [
    "release-notes",
    "Write release notes from the merged pull requests since the last tag.",
    "repo:string since:string",
    "github.list_pull_requests github.list_tags",
  ],
  [
    "review-queue",
    "Show the pull requests that wait for my review, oldest first.",
    "user:string",
    "github.search_pull_requests",
  ],
  [
    "merge-dependabot",
    "Merge dependency updates whose checks are green.",
    "repo:string",
    "github.list_pull_requests github.merge_pull_request",
  ],
  [
    "failed-builds",
    "List the CI runs that failed today and why.",
    "repo:string branch:string",
    "ci.list_runs ci.get_logs",
  ],
  ["rerun-flaky", "Run failed CI jobs again.", "repo:string run:integer", "ci.rerun_job"],
  [
    "deploy-staging",
    "Deploy a branch to the staging environment.",
    "branch:string",
    "deploy.create_release deploy.promote",
  ],
  [
    "rollback-production",
    "Roll production back to the release before.",
    "service:string",
    "deploy.list_releases deploy.rollback",
  ],
  [
    "backup-database",
    "Dump a database and upload the dump to the bucket.",
    "database:string bucket:string",
    "postgres.dump storage.upload",
  ],
  [
    "restore-database",
    "Restore a database from a dump in the bucket.",
    "database:string dump:string",
    "storage.download postgres.restore",
  ],
  [
    "slow-queries",
    "Show the slowest SQL queries of the last hour.",
    "database:string limit:integer",
    "postgres.query",
  ],
  [
    "clean-temp-files",
    "Delete temporary files older than some days.",
    "folder:string days:integer",
    "filesystem.search_files filesystem.delete_file",
  ],
  [
    "find-duplicates",
    "Find files with the same content below a folder.",
    "folder:string",
    "filesystem.directory_tree filesystem.read_file",
  ],
  [
    "rename-photos",
    "Rename photos by the date they were taken.",
    "folder:string",
    "filesystem.list_directory filesystem.move_file",
  ],
  [
    "summarise-inbox",
    "Summarise unread mail, most important first.",
    "limit:integer",
    "mail.search mail.read",
  ],
  [
    "reply-late",
    "Draft replies to mail that has waited for more than two days.",
    "days:integer",
    "mail.search mail.create_draft",
  ],
  [
    "book-meeting",
    "Find a free slot for several people and book a meeting.",
    "people:array length:integer",
    "calendar.free_busy calendar.create_event",
  ],
  ["agenda-today", "Show today's appointments with the links to join.", "", "calendar.list_events"],
  [
    "cancel-meetings",
    "Cancel my meetings of a day and tell the others.",
    "day:string reason:string",
    "calendar.delete_event mail.send",
  ],
  [
    "standup-report",
    "Post what I did yesterday to the team channel.",
    "channel:string",
    "github.search_commits slack.post_message",
  ],
  [
    "remind-channel",
    "Post a reminder to a channel at a given time.",
    "channel:string text:string",
    "slack.schedule_message",
  ],
  [
    "archive-channels",
    "Archive Slack channels without messages for months.",
    "months:integer",
    "slack.list_channels slack.archive_channel",
  ],
  [
    "invoice-month",
    "Create the invoices for a month from the tracked hours.",
    "month:string",
    "timesheet.report billing.create_invoice",
  ],
  [
    "overdue-invoices",
    "List unpaid invoices past their due date and remind the customers.",
    "",
    "billing.list_invoices mail.send",
  ],
  [
    "expense-report",
    "Collect receipts of a trip into an expense report.",
    "trip:string",
    "mail.search sheets.append_rows",
  ],
  [
    "price-watch",
    "Check the price of a product and tell me when it falls.",
    "url:string below:number",
    "browser.open browser.extract mail.send",
  ],
  [
    "screenshot-page",
    "Take a screenshot of a web page at three widths.",
    "url:string",
    "browser.open browser.screenshot",
  ],
  ["check-links", "Check a site for broken links.", "url:string", "browser.open browser.links http.head"],
  [
    "translate-docs",
    "Translate the documentation of a folder into another language.",
    "folder:string language:string",
    "filesystem.read_file translate.text filesystem.write_file",
  ],
];

/** The recipes, read as they would be from files. */
export const SHELF: readonly Recipe[] = RECIPES.map(([name, summary, parameters, calls]) => {
  const lines = parameters.split(" ").filter((one) => one !== "").map((one) => `// @param ${one}`);
  const body = calls.split(" ").map((call) => `await ${call}({});`).join("\n");
  const recipe = readRecipe(name, [`// ${summary}`, "// @tool true", ...lines, "", body].join("\n"));
  if (recipe === undefined) throw new Error(`${name} is no recipe`);
  return recipe;
});
