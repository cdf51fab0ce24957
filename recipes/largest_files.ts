// List the largest files of a folder, largest first.
// @param folder:string        the folder that is looked at
// @param count:integer = 10   how many files

const { content } = await filesystem.list_directory_with_sizes({ path: @folder, sortBy: "size" });
const files = [...content.matchAll(/^\[FILE\] (.+?)\s+([\d.]+ [KMGT]?B)$/gm)]
  .map(([, name, size]) => ({ name, size }));
return files.slice(0, @count);
