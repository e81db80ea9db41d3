#compdef mcp-plugin-host
# Completion of mcp-plugin-host in zsh. The program itself says what may come next, a candidate a line, with a tab before
# what is said of it; ":files" stands for the names of files.

_mcp_plugin_host() {
  local line text
  local -a candidates
  while IFS= read -r line; do
    if [[ "$line" == :files ]]; then
      _files
      continue
    fi
    text="${line%%$'\t'*}"
    candidates+=("${text//:/\\:}${line#"$text"}")
  done < <("${(Q)words[1]/#\~/$HOME}" __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)
  candidates=("${candidates[@]/$'\t'/:}")
  (( $#candidates )) && _describe 'mcp-plugin-host' candidates
}

# As _mcp-plugin-host in $fpath it is called; otherwise it is sourced.
if [[ "$funcstack[1]" == _mcp-plugin-host ]]; then
  _mcp_plugin_host "$@"
else
  compdef _mcp_plugin_host mcp-plugin-host
fi
