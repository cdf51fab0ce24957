// List the largest files of a folder, largest first.
// @param folder:string        the folder that is looked at
// @param count:integer = 10   how many files

const { content } = await filesystem.list_directory_with_sizes({ path: @folder, sortBy: "size" });
const units: Record<string, number> = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 };
const files = [...content.matchAll(/^\[FILE\] (.+?)\s+([\d.]+) ([KMGT]?B)$/gm)]
  .map(([, name = "", amount = "0", unit = "B"]) => ({
    name,
    bytes: Math.round(Number(amount) * (units[unit] ?? 1)),
  }))
  .sort((a, b) => b.bytes - a.bytes);
return files.slice(0, @count);
