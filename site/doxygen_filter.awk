# Shows Doxygen the comments of the plugin API as it wants them: the opening comment of a header is about the file and, where
# it begins with the name of a type ("Tool: ..."), about that type; in the headers in C, which have plain comments, each
# comment is about what follows it or, behind something, about that.

FNR == 1 { is_c = FILENAME ~ /\.h$/; opening = 1; type = ""; text = "" }

# What stands in angle brackets is no HTML. Indented code is left alone.
/^ *(\/\/\/?|\/\*| \*) ? ? ?[^ ]/ { gsub(/</, "\\<") }

is_c && FNR == 1 { print "/** \\file"; next }
is_c && /^ *\/\*/ { sub(/\/\*/, "/**") }
is_c && /[^ ].*\/\* / { sub(/\/\* /, "/**< ") }
is_c { print; next }

opening && /^\/\// {
  if (FNR == 1) {
    print "/// \\file"
    if (match($0, /^\/\/ [A-Z][A-Za-z]+: /)) type = substr($2, 1, length($2) - 1)
  }
  sub(/^\/\//, "///")
  text = text $0 "\n"
  print
  next
}
{ opening = 0 }
type != "" && $0 ~ "^(class|struct) " type "( |$)" && !/;$/ { printf "%s", text }
{ print }
