#include "web/site/pages/html.h"

#include "base/text/text.h"

namespace pixledger::web {

Html& Html::text(std::string_view text) {
  html_.append(escape_html(with_hidden_escaped(text)));
  return *this;
}

Html& Html::attribute(Markup name, std::string_view value) {
  html_.append(" ").append(name.text()).append("=\"");
  text(value);
  html_.append("\"");
  return *this;
}

}  // namespace pixledger::web
