#include "web/site/pages/html.h"

#include "base/text/text.h"

namespace pixledger::web {

Html& Html::text(std::string_view text) {
  for (const char c : with_hidden_escaped(text)) {
    switch (c) {
      case '&':
        html_.append("&amp;");
        break;
      case '<':
        html_.append("&lt;");
        break;
      case '>':
        html_.append("&gt;");
        break;
      case '"':
        html_.append("&quot;");
        break;
      case '\'':
        html_.append("&#39;");
        break;
      default:
        html_ += c;
    }
  }
  return *this;
}

Html& Html::attribute(Markup name, std::string_view value) {
  html_.append(" ").append(name.text()).append("=\"");
  text(value);
  html_.append("\"");
  return *this;
}

}  // namespace pixledger::web
