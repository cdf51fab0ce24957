// Replace a text in one file, or show as a diff what would change.
// @param file:string              the file
// @param find:string              the text as it is now; it must be in the file
// @param replacement:string       the text that takes its place
// @param preview:boolean = true   only show the diff

const { content } = await filesystem.edit_file({
  path: @file,
  edits: [{ oldText: @find, newText: @replacement }],
  dryRun: @preview,
});
return { file: @file, changed: !@preview, diff: content.replace(/^`+diff\n|\n+`+\s*$/g, "") };
