import { McpxError } from "../../errors/mod.ts";
import { type CommandContext, writeAnswer } from "../context.ts";

// The scripts know no command by name: `mcpx __complete` reads the same tables as the parser, so that a shell never offers what a
// newer or older mcpx does not have.

const BASH = `# mcpx completion for bash
_mcpx() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == ":file" ]]; then compopt -o default; continue; fi
    line=\${line%%$'\\t'*}
    [[ $line == *[=.] ]] && compopt -o nospace
    COMPREPLY+=("$line")
  done < <(mcpx __complete bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _mcpx mcpx
`;

const ZSH = `#compdef mcpx
_mcpx() {
  local line
  local -a open closed
  for line in "\${(@f)$(mcpx __complete zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == ":file" ]]; then _files; continue; fi
    [[ -z $line ]] && continue
    local value=\${line%%$'\\t'*} note=\${line#*$'\\t'}
    if [[ $value == *[=.] ]]; then open+=("\${value//:/\\\\:}:$note"); else closed+=("\${value//:/\\\\:}:$note"); fi
  done
  (( $#open )) && _describe mcpx open -S ''
  (( $#closed )) && _describe mcpx closed
}
compdef _mcpx mcpx
`;

const FISH = `# mcpx completion for fish
function __mcpx_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in (mcpx __complete fish -- $words[2..-1] 2>/dev/null)
    if test "$line" = ":file"
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c mcpx -f -a '(__mcpx_complete)'
`;

const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH };

/**
 * Prints the completion script of a shell.
 *
 * @throws {McpxError} `usage` for a shell that has none
 */
export async function printCompletion(cx: CommandContext, shell: string): Promise<number> {
  const script = SCRIPTS[shell];
  if (script === undefined) {
    throw new McpxError("usage", `Cannot complete for ${shell}: there are scripts for bash, zsh and fish.`);
  }
  await writeAnswer(cx, { shell, script }, script);
  return 0;
}
