// Search the text of the files below a folder for words, and give the lines that contain them.
// @param folder:string             where the search begins
// @param text:string               what the lines contain; case does not matter
// @param files:string = "**/*.md"  which files are read, as a glob
// @param limit:integer = 50        how many lines at most

const { content } = await filesystem.search_files({ path: @folder, pattern: @files });
const paths = content.startsWith("No matches") ? [] : content.split("\n").filter((path) => path !== "");
const wanted = @text.toLowerCase();
const lines: { file: string; line: number; text: string }[] = [];
for (const file of paths) {
  if (lines.length >= @limit) break;
  const read = await filesystem.read_text_file({ path: file }).catch((error) => {
    log.warn(`${file} was not read`, { reason: String(error.message) });
    return { content: "" };
  });
  read.content.split("\n").forEach((text, index) => {
    if (lines.length < @limit && text.toLowerCase().includes(wanted)) lines.push({ file, line: index + 1, text });
  });
}
return { files: paths.length, lines };
