// Annotations. They restrict nothing, but each has a form.
#include <algorithm>
#include <array>
#include <string_view>

#include "base/json.hpp"
#include "schema/keywords.hpp"

namespace mcph::schema {
namespace {

struct AnnotationForm {
  bool (*fits)(const OrderedJson& value);
  std::string_view must_be;
};

constexpr AnnotationForm text_form{[](const OrderedJson& value) { return value.is_string(); }, "must be a string"};
constexpr AnnotationForm flag_form{[](const OrderedJson& value) { return value.is_boolean(); },
                                   "must be true or false"};
constexpr AnnotationForm list_form{[](const OrderedJson& value) { return value.is_array(); }, "must be an array"};
constexpr AnnotationForm flags_form{[](const OrderedJson& value) {
                                      const auto is_flag = [](const OrderedJson& each) { return each.is_boolean(); };
                                      return value.is_object() && std::all_of(value.begin(), value.end(), is_flag);
                                    },
                                    "must be an object whose members are true or false"};

template <const AnnotationForm& form>
Result<KeywordPtr> compile_annotation(const KeywordSite& site) {
  if (!form.fits(site.value)) return site.error(form.must_be);
  return KeywordPtr();
}

constexpr std::array annotation_rules{
    KeywordRule{"$schema", compile_annotation<text_form>},
    KeywordRule{"$vocabulary", compile_annotation<flags_form>, Vocabulary::core, in_2020_12},
    KeywordRule{"$comment", compile_annotation<text_form>},
    KeywordRule{"title", compile_annotation<text_form>},
    KeywordRule{"description", compile_annotation<text_form>},
    KeywordRule{"deprecated", compile_annotation<flag_form>, Vocabulary::core, in_2020_12},
    KeywordRule{"readOnly", compile_annotation<flag_form>},
    KeywordRule{"writeOnly", compile_annotation<flag_form>},
    KeywordRule{"examples", compile_annotation<list_form>},
    KeywordRule{"format", compile_annotation<text_form>},
    KeywordRule{"contentEncoding", compile_annotation<text_form>},
    KeywordRule{"contentMediaType", compile_annotation<text_form>},
    KeywordRule{"contentSchema", compile_unused, Vocabulary::core, in_2020_12},
};

}  // namespace

std::span<const KeywordRule> annotation_keywords() {
  return annotation_rules;
}

}  // namespace mcph::schema
