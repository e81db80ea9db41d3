# Completion of mcp-plugin-host in fish. The program itself says what may come next, a candidate a line, with a tab before
# what is said of it; ":files" stands for the names of files.

function __mcp_plugin_host_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    for candidate in ($words[1] __complete $words[2..] "$word" 2>/dev/null)
        if test "$candidate" = :files
            __fish_complete_path "$word"
        else
            echo $candidate
        end
    end
end
complete -c mcp-plugin-host -f -a '(__mcp_plugin_host_complete)'
