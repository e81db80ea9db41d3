# Completion of mcp-plugin-host in bash. The program itself says what may come next, a candidate a line, with a tab before
# what is said of it; ":files" stands for the names of files.

_mcp_plugin_host() {
  local line="${COMP_LINE:0:COMP_POINT}" words word begin candidate
  read -ra words <<<"$line"
  [[ "$line" == *[[:space:]] ]] && words+=('')
  word="${words[-1]}"
  # What bash takes for a word of its own ends at these characters.
  begin=''
  [[ "$word" == *[:=]* ]] && begin="${word%"${word##*[:=]}"}"
  COMPREPLY=()
  while IFS= read -r candidate; do
    if [[ "$candidate" == :files ]]; then
      compopt -o default
      continue
    fi
    candidate="${candidate%%$'\t'*}"
    COMPREPLY+=("${candidate#"$begin"}")
  done < <("${words[0]/#\~/$HOME}" __complete "${words[@]:1}" 2>/dev/null)
}
complete -F _mcp_plugin_host mcp-plugin-host
