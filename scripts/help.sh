# For the other scripts: with --help a script says what it does, which is the comment at its beginning, and ends.
#
#     . "$(dirname "$0")/help.sh"
case "${1:-}" in
  --help | -h)
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
    exit
    ;;
esac
