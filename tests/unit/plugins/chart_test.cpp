#include "chart/chart.hpp"

#include <cairo.h>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mcp/plugin/testing.hpp>

#include "chart/legend.hpp"
#include "chart/palette.hpp"
#include "chart/picture.hpp"
#include "chart/scale.hpp"
#include "chart/setup.hpp"

namespace plugins::chart {
namespace {

using mcp::Json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const Json sales = Json::parse(R"({"kind":"bar","title":"Sales","labels":["Jan","Feb","Mar"],
    "series":[{"name":"North","values":[1,4,2.5]},{"name":"South","values":[2,3,-1]}]})");

// A PNG as its pixels.
class Pixels {
 public:
  explicit Pixels(const std::vector<std::uint8_t>& png) : rest_(png) {
    surface_ = cairo_image_surface_create_from_png_stream(read, this);
  }
  Pixels(const Pixels&) = delete;
  Pixels& operator=(const Pixels&) = delete;
  ~Pixels() { cairo_surface_destroy(surface_); }

  int width() const { return cairo_image_surface_get_width(surface_); }
  int height() const { return cairo_image_surface_get_height(surface_); }

  int count(Color color) const {
    int count = 0;
    const unsigned char* data = cairo_image_surface_get_data(surface_);
    const int stride = cairo_image_surface_get_stride(surface_);
    for (int y = 0; y < height(); ++y) {
      for (int x = 0; x < width(); ++x) {
        const unsigned char* pixel = data + y * stride + 4 * x;
        const std::uint32_t rgb = std::uint32_t{pixel[2]} << 16U | std::uint32_t{pixel[1]} << 8U | pixel[0];
        if (rgb == color.rgb) ++count;
      }
    }
    return count;
  }

 private:
  static cairo_status_t read(void* self, unsigned char* data, unsigned size) {
    auto& pixels = *static_cast<Pixels*>(self);
    if (pixels.at_ + size > pixels.rest_.size()) return CAIRO_STATUS_READ_ERROR;
    std::copy_n(pixels.rest_.data() + pixels.at_, size, data);
    pixels.at_ += size;
    return CAIRO_STATUS_SUCCESS;
  }

  const std::vector<std::uint8_t>& rest_;
  std::size_t at_ = 0;
  cairo_surface_t* surface_;
};

class DrawChart : public testing::Test {
 protected:
  Json with(const char* changes) {
    Json arguments = sales;
    arguments.merge_patch(Json::parse(changes));
    return arguments;
  }
  mcp::testing::Outcome draw(const Json& arguments) { return harness_.call_tool("draw_chart", arguments); }
  void let_client_show_apps() {
    harness_.set_request_context(Json::parse(R"({"clientCapabilities":{"extensions":{"io.modelcontextprotocol/ui":
        {"mimeTypes":["text/html;profile=mcp-app"]}}}})"));
  }

  mcp::testing::Harness harness_{setup};
};

TEST_F(DrawChart, GivesWordsAPictureAndTheNumbers) {
  const auto outcome = draw(sales);
  ASSERT_TRUE(outcome.ok()) << outcome.text();
  const auto& content = outcome.json["content"];
  ASSERT_EQ(content.size(), 2U);
  EXPECT_EQ(content[0]["text"],
            "Bar chart: Sales\n"
            "North: 3 values from 1 (Jan) to 4 (Feb), average 2.5, sum 7.5\n"
            "South: 3 values from -1 (Mar) to 3 (Feb), average 1.33333, sum 4");
  EXPECT_EQ(content[1]["type"], "image");
  EXPECT_EQ(content[1]["mimeType"], "image/png");
  EXPECT_THAT(content[1]["data"].get<std::string>(), StartsWith("iVBORw0KGgo"));
  EXPECT_EQ(outcome.structured(), with(R"({"width":800,"height":500})"));
}

TEST_F(DrawChart, LeavesThePictureOutWhereTheClientShowsTheApp) {
  let_client_show_apps();
  const auto outcome = draw(sales);
  ASSERT_EQ(outcome.json["content"].size(), 1U);
  EXPECT_EQ(outcome.json["content"][0]["type"], "text");
  EXPECT_EQ(outcome.structured()["series"], sales["series"]);
}

TEST_F(DrawChart, SaysThePartsOfAPie) {
  const auto outcome = draw(Json::parse(R"({"kind":"pie","labels":["a","b","c"],"series":[{"values":[1,2,5]}]})"));
  EXPECT_EQ(outcome.json["content"][0]["text"], "Pie chart\na: 1 (12.5%)\nb: 2 (25%)\nc: 5 (62.5%)");
}

TEST_F(DrawChart, SaysWhatIsWrongWithTheNumbers) {
  const auto refusal = [&](const char* changes) {
    const auto outcome = draw(with(changes));
    return outcome.ok() ? "drawn" : outcome.text();
  };
  EXPECT_EQ(refusal(R"({"series":[{"name":"North","values":[1,2]}]})"),
            "series \"North\" has 2 values for 3 labels; give one value for each label");
  EXPECT_EQ(refusal(R"({"series":[{"values":[1,2,3]},{"values":[1,2,1e16]}]})"),
            "series 2 has a value beyond 1e15; give the numbers in a larger unit");
  EXPECT_EQ(refusal(R"({"kind":"pie"})"), "a pie has one series, not 2; draw several as bars");
  EXPECT_EQ(refusal(R"({"kind":"pie","series":[{"values":[1,2,-3]}]})"),
            "a pie cannot show negative values; draw them as bars");
  EXPECT_EQ(refusal(R"({"kind":"pie","series":[{"values":[0,0,0]}]})"), "a pie needs a value that is not 0");
  Json arguments = sales;
  arguments["labels"][0] = std::string(201, 'x');
  EXPECT_EQ(draw(arguments).text(), "the label \"xxxxxxxxxxxxxxxxxxxx...\" is longer than 200 bytes; shorten it");
  arguments["labels"][0] = std::string(19, 'x') + "\u20ac" + std::string(200, 'x');
  EXPECT_EQ(draw(arguments).text(), "the label \"xxxxxxxxxxxxxxxxxxx...\" is longer than 200 bytes; shorten it");
}

TEST_F(DrawChart, NamesItsAppAndDescribesItsOutput) {
  const auto tool = Json(harness_.describe()["tools"][0]);
  EXPECT_EQ(tool["_meta"]["ui"]["resourceUri"], "ui://chart/view");
  EXPECT_EQ(tool["inputSchema"]["properties"]["kind"]["enum"], Json::parse(R"(["bar","line","pie"])"));
  EXPECT_EQ(tool["inputSchema"]["required"], Json::parse(R"(["kind","labels","series"])"));
  EXPECT_EQ(tool["outputSchema"]["required"], Json::parse(R"(["kind","title","labels","series","width","height"])"));
}

TEST_F(DrawChart, TheAppIsOnePageThatLoadsNothing) {
  const auto content = harness_.read("ui://chart/view").json["contents"][0];
  EXPECT_EQ(content["mimeType"], "text/html;profile=mcp-app");
  EXPECT_EQ(content["_meta"]["ui"], Json::parse(R"({"prefersBorder":true})"));
  const auto page = content["text"].get<std::string>();
  EXPECT_THAT(page, StartsWith("<!doctype html>"));
  EXPECT_THAT(page, HasSubstr("ui/initialize"));
  EXPECT_THAT(page, testing::Not(testing::ContainsRegex("@[A-Z]+@|src=|href=|@import|url\\(|fetch\\(")));
}

Chart chart_of(Kind kind, std::vector<Series> series) {
  Chart chart;
  chart.kind = kind;
  chart.series = std::move(series);
  for (std::size_t i = 0; i < chart.series.front().values.size(); ++i)
    chart.labels.push_back("label " + std::to_string(i));
  return chart;
}

TEST(Picture, HasTheSizeThatWasAskedFor) {
  Chart chart = chart_of(Kind::bar, {{std::nullopt, {1, 2}}});
  chart.width = 321;
  chart.height = 234;
  const auto png = picture(chart);
  const Pixels pixels(png);
  EXPECT_EQ(pixels.width(), 321);
  EXPECT_EQ(pixels.height(), 234);
}

TEST(Picture, DrawsBarsAsLongAsTheirValues) {
  const auto png = picture(chart_of(Kind::bar, {{std::nullopt, {10, 10}}, {std::nullopt, {5, 5}}}));
  const Pixels pixels(png);
  const double ratio = static_cast<double>(pixels.count(series_color(0))) / pixels.count(series_color(1));
  EXPECT_NEAR(ratio, 2, 0.05);
}

TEST(Picture, DrawsPartsOfAPieAsLargeAsTheirValues) {
  const auto png = picture(chart_of(Kind::pie, {{std::nullopt, {3, 1}}}));
  const Pixels pixels(png);
  const double ratio = static_cast<double>(pixels.count(series_color(0))) / pixels.count(series_color(1));
  EXPECT_NEAR(ratio, 3, 0.15);
}

TEST(Picture, DrawsEverySeriesOfLines) {
  const auto png = picture(chart_of(Kind::line, {{"up", {1, 2, 3}}, {"down", {3, 2, 1}}}));
  const Pixels pixels(png);
  EXPECT_GT(pixels.count(series_color(0)), 500);
  EXPECT_GT(pixels.count(series_color(1)), 500);
}

TEST(Picture, ManyLongLabelsInTheSmallestSizeAreNoTrouble) {
  for (const Kind kind : {Kind::bar, Kind::line, Kind::pie}) {
    Chart chart = chart_of(kind, {{std::nullopt, std::vector<double>(Series::max_values, 1.0)}});
    for (auto& label : chart.labels)
      label = "größer als das Bild, " + label;
    chart.title = std::string(120, 'W');
    chart.width = 200;
    chart.height = 150;
    const auto png = picture(chart);
    EXPECT_EQ(Pixels(png).width(), 200);
  }
}

std::vector<std::string> texts_of(const std::vector<LegendEntry>& entries) {
  std::vector<std::string> texts;
  for (const auto& entry : entries)
    texts.push_back(entry.text);
  return texts;
}

TEST(Legend, SaysHowManyNamesItHasNoRoomFor) {
  Canvas canvas(200, 150);
  const Box room{16, 16, 184, 134};
  std::vector<std::string> names;
  for (int i = 1; i <= 10; ++i)
    names.push_back("Series " + std::to_string(i));
  const auto entries = legend_of(canvas, names, room);
  ASSERT_GE(entries.size(), 2U);
  EXPECT_EQ(entries.back().text, "+" + std::to_string(names.size() - (entries.size() - 1)));
  EXPECT_FALSE(entries.back().series);
  EXPECT_LE(entries.back().at.x + canvas.text_width(entries.back().text, legend_text_size), room.right);
  EXPECT_THAT(texts_of(legend_of(canvas, {"a", "b"}, room)), ElementsAre("a", "b"));
}

TEST(Legend, ShortensANameThatLeavesNoRoom) {
  Canvas canvas(200, 150);
  const Box room{16, 16, 184, 80};
  const auto texts = texts_of(legend_of(canvas, std::vector<std::string>(3, std::string(60, 'W')), room));
  ASSERT_EQ(texts.size(), 2U);
  EXPECT_THAT(texts[0], testing::EndsWith("W..."));
  EXPECT_EQ(texts[1], "+2");
}

std::vector<std::string> tick_texts(const Scale& scale) {
  std::vector<std::string> texts;
  for (const double tick : scale.ticks())
    texts.push_back(scale.tick_text(tick));
  return texts;
}

TEST(Scale, ItsTicksReadDifferently) {
  EXPECT_THAT(tick_texts(scale_of(123456.1, 123456.9, false, 5)),
              ElementsAre("123456.0", "123456.2", "123456.4", "123456.6", "123456.8", "123457.0"));
  EXPECT_THAT(tick_texts(scale_of(0, 2'000'000, true, 4)), ElementsAre("0", "500000", "1000000", "1500000", "2000000"));
  EXPECT_THAT(tick_texts(scale_of(-0.002, 0.001, true, 3)), ElementsAre("-0.002", "-0.001", "0.000", "0.001"));
  EXPECT_THAT(tick_texts(scale_of(1, 1 + 1e-12, false, 2)), testing::Each(testing::SizeIs(testing::Le(16U))));
  EXPECT_THAT(tick_texts(scale_of(0, 2e-20, true, 2)), ElementsAre("0", "1e-20", "2e-20"));
}

TEST(Scale, HasRoundNumbers) {
  EXPECT_THAT(scale_of(1, 9.3, true, 5).ticks(), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(scale_of(-3, 4, true, 5).ticks(), ElementsAre(-4, -2, 0, 2, 4));
  EXPECT_THAT(scale_of(102, 109, false, 4).ticks(), ElementsAre(102, 104, 106, 108, 110));
  EXPECT_THAT(scale_of(0, 0.3, true, 3).ticks(),
              ElementsAre(0, testing::DoubleEq(0.1), testing::DoubleEq(0.2), testing::DoubleNear(0.3, 1e-12)));
  EXPECT_THAT(scale_of(0, 0, true, 5).ticks(), testing::SizeIs(testing::Le(6)));
  EXPECT_THAT(scale_of(7, 7, false, 4).ticks(), testing::Contains(7));
}

TEST(Scale, NeverHasMoreStepsThanAllowed) {
  for (const double largest : {1e-9, 0.7, 1.0, 3.0, 19.9, 1e15}) {
    for (const int most : {2, 3, 7, 10}) {
      const auto scale = scale_of(-largest / 3, largest, true, most);
      EXPECT_LE(scale.ticks().size(), static_cast<std::size_t>(most) + 1) << largest << " in " << most;
      EXPECT_LE(scale.low, -largest / 3);
      EXPECT_GE(scale.high, largest);
    }
  }
}

TEST(Scale, PlacesValuesThatHardlyDiffer) {
  constexpr double tiniest = std::numeric_limits<double>::denorm_min();
  const double next = std::nextafter(434758051844.2855, 1e15);
  for (const auto& [smallest, largest] : std::vector<std::pair<double, double>>{
           {tiniest, tiniest}, {-tiniest, tiniest}, {1e-310, 2e-310}, {1e-299, 1e-299}, {434758051844.2855, next}}) {
    for (const bool from_zero : {true, false}) {
      const Scale scale = scale_of(smallest, largest, from_zero, 7);
      EXPECT_THAT(scale.ticks(), testing::SizeIs(testing::AllOf(testing::Ge(2U), testing::Le(8U)))) << largest;
      EXPECT_THAT(scale.place(smallest), testing::AllOf(testing::Ge(0), testing::Le(1))) << largest;
      EXPECT_THAT(scale.place(largest), testing::AllOf(testing::Ge(0), testing::Le(1))) << largest;
    }
  }
}

TEST(Scale, NumbersAreWrittenForPeople) {
  EXPECT_EQ(number_text(-0.0), "0");
  EXPECT_EQ(number_text(0.1 + 0.2), "0.3");
  EXPECT_EQ(number_text(1234567), "1234567");
  EXPECT_EQ(number_text(999999.7), "1000000");
  EXPECT_EQ(number_text(999999.4), "999999");
  EXPECT_EQ(number_text(1e15), "1000000000000000");
  EXPECT_EQ(number_text(-2.5), "-2.5");
}

}  // namespace
}  // namespace plugins::chart
