/** A request, and what has to come of it: one recipe, or none with these among the candidates. */
export type MatchCase =
  | { request: string; chosen: string }
  | { request: string; refused: readonly string[] };

const chosen = (request: string, name: string): MatchCase => ({ request, chosen: name });
const refused = (request: string, ...candidates: string[]): MatchCase => ({ request, refused: candidates });

/** The half that weights were tuned with. */
export const TUNED: readonly MatchCase[] = [
  chosen("close stale issues in me/thing", "close-stale-issues"),
  chosen("close old issues nobody touched", "close-stale-issues"),
  chosen("label and assign new issues", "triage-new-issues"),
  chosen("write the release notes", "release-notes"),
  chosen("what PRs are waiting for my review", "review-queue"),
  chosen("merge the dependabot updates", "merge-dependabot"),
  chosen("which builds failed today", "failed-builds"),
  chosen("rerun the flaky jobs", "rerun-flaky"),
  chosen("deploy my branch to staging", "deploy-staging"),
  chosen("roll back production", "rollback-production"),
  chosen("backup the database", "backup-database"),
  chosen("show me slow sql queries", "slow-queries"),
  chosen("delete old temp files in /tmp", "clean-temp-files"),
  chosen("find duplicate files", "find-duplicates"),
  chosen("rename my photos by date", "rename-photos"),
  chosen("summarize my unread mail", "summarise-inbox"),
  chosen("book a meeting with Ann and Bob", "book-meeting"),
  chosen("what's on my agenda today", "agenda-today"),
  chosen("cancel all my meetings on friday", "cancel-meetings"),
  chosen("post my standup", "standup-report"),
  chosen("archive dead slack channels", "archive-channels"),
  chosen("create invoices for march", "invoice-month"),
  chosen("who has not paid: overdue invoices", "overdue-invoices"),
  chosen("take a screenshot of example.org", "screenshot-page"),
  chosen("check my site for broken links", "check-links"),
  chosen("deploy-staging", "deploy-staging"),
  refused("issues", "close-stale-issues", "triage-new-issues"),
  refused("database", "backup-database", "restore-database"),
  refused("meeting", "book-meeting", "cancel-meetings"),
  refused("do something with the repo"),
  refused("order a pizza"),
  refused("channel message", "remind-channel", "archive-channels"),
  refused("invoices", "invoice-month", "overdue-invoices"),
  refused("what is the weather in Bern"),
];

/** The half that nothing was tuned with. */
export const HELD_OUT: readonly MatchCase[] = [
  chosen("please close the stale issues", "close-stale-issues"),
  chosen("triage new issues", "triage-new-issues"),
  chosen("triage the bugs that came in", "triage-new-issues"),
  chosen("make release notes since v1.2", "release-notes"),
  chosen("my review queue", "review-queue"),
  chosen("merge green dependency updates", "merge-dependabot"),
  chosen("list failed CI runs", "failed-builds"),
  chosen("re-run flaky", "rerun-flaky"),
  chosen("deploy feature/login to the staging environment", "deploy-staging"),
  chosen("rollback the production release of billing", "rollback-production"),
  chosen("restore the database from yesterday's dump", "restore-database"),
  chosen("backup database customers to bucket nightly", "backup-database"),
  chosen("slowest queries of the last hour", "slow-queries"),
  chosen("clean up temporary files", "clean-temp-files"),
  chosen("find files with the same content", "find-duplicates"),
  chosen("rename photos", "rename-photos"),
  chosen("inbox summary", "summarise-inbox"),
  chosen("draft replies to late mail", "reply-late"),
  chosen("find a free slot and book it", "book-meeting"),
  chosen("today's appointments", "agenda-today"),
  chosen("cancel meetings tomorrow because I am ill", "cancel-meetings"),
  chosen("standup report to #team", "standup-report"),
  chosen("remind the channel about the release at noon", "remind-channel"),
  chosen("archive channels", "archive-channels"),
  chosen("overdue invoices", "overdue-invoices"),
  chosen("expense report for the Paris trip", "expense-report"),
  chosen("watch the price of this lamp", "price-watch"),
  chosen("screenshot of https://example.org/", "screenshot-page"),
  chosen("find broken links", "check-links"),
  chosen("translate the docs into German", "translate-docs"),
  chosen("Translate Documentation", "translate-docs"),
  refused("files", "clean-temp-files", "find-duplicates"),
  refused("mail", "summarise-inbox", "reply-late"),
  refused("restore or backup a database", "backup-database", "restore-database"),
  refused("run"),
  refused("tell me a joke"),
  refused("pull requests", "release-notes", "review-queue"),
  refused("buy two train tickets to Geneva"),
  refused("close"),
];

/** Written after addresses and paths stopped to count as words, and tuned with no more than the others. */
export const WITH_VALUES: readonly MatchCase[] = [
  chosen("check links on https://docs.example.org/guide/start.html", "check-links"),
  chosen("find duplicates in /home/me/photos/files/database", "find-duplicates"),
  chosen("rename the photos in ~/Pictures/mail/invoices", "rename-photos"),
  chosen("watch the price at https://shop.example.com/close/issues?id=7", "price-watch"),
  chosen("remind the channel to write to ann@release-notes.example", "remind-channel"),
  refused("https://example.org/deploy/staging"),
];
