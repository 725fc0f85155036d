# Prints FILE:LINE: N columns for each line of Markdown over 120 columns that could be wrapped: outside tables, fenced
# code, definitions of links, and links and pictures on a line of their own. Of CHANGELOG.md only what is newer than
# 0.1.0 counts. Runs in the C locale.
FNR == 1 { fence = released = "" }
FILENAME == "CHANGELOG.md" && /^## 0\.1\.0/ { released = 1 }
released { next }
{
  line = $0
  sub(/^ +/, "", line)
}
fence != "" {
  if (index(line, fence) == 1 && line ~ /^(`+|~+) *$/) fence = ""
  next
}
match(line, /^(```+|~~~+)/) {
  fence = substr(line, 1, RLENGTH)
  next
}
line ~ /^\|/ || line ~ /^\[[^]]+\]: / { next }
{
  columns = $0
  gsub(/[\200-\277]/, "", columns) # the bytes of a character after its first
  if (length(columns) <= 120) next
  sub(/^([-*+]|[0-9]+\.) +/, "", line)
  if (line ~ /^!?\[[^]]*\]\([^)]*\)[.,;:]?$/ || line ~ /^\[!\[[^]]*\]\([^)]*\)\]\([^)]*\)$/) next # a link, a picture, a badge
  if (line ~ /^<(img|source) [^>]*>$/ || line ~ /^<https?:[^>]*>$/) next
  print FILENAME ":" FNR ": " length(columns) " columns"
}
