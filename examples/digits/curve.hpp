// The training curves as a picture: two panels of SVG, written as text.
#pragma once
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace digits {

/// Digits after the point are fixed, and the point is a point in every locale; a diverging loss gets an exponent.
inline std::string number(double value, int digits = 1) {
  char text[64];
  const bool huge = std::abs(value) >= 1e7;
  const auto form = huge ? std::chars_format::general : std::chars_format::fixed;
  return std::string(text, std::to_chars(text, text + sizeof text, value, form, huge ? 3 : digits).ptr);
}

/// A range with ticks at the multiples of step, which is 1, 2 or 5 times a power of ten.
struct scale {
  double low, high, step;

  /// Range as given. At most `most` intervals between ticks.
  static scale over(double low, double high, int most) {
    const double least = (high - low) / most, power = std::pow(10, std::floor(std::log10(least)));
    for (double factor : {1., 2., 5.})
      if (least <= factor * power * (1 + 1e-9)) return {low, high, factor * power};
    return {low, high, 10 * power};
  }
  /// Range widened to whole steps.
  static scale around(double low, double high, int most) {
    const double step = over(low, high, most).step;
    return {std::floor(low / step + 1e-9) * step, std::ceil(high / step - 1e-9) * step, step};
  }

  std::vector<double> ticks() const {
    std::vector<double> at;
    for (double k = std::ceil(low / step - 1e-9) + 0.; k * step <= high + 1e-9 * step; ++k) at.push_back(k * step);
    return at;
  }
  std::string label(double tick) const {
    return number(tick, (std::max)(0, int(-std::floor(std::log10(step) + 1e-9))));
  }
  double fraction(double value) const { return (value - low) / (high - low); }
};

/// One panel: a rectangle of the picture in which value i of the series stands over epoch i + 1.
struct panel {
  double left, top, width, height;
  scale epochs, values;
  std::string_view name, colour;

  double x(double epoch) const { return left + width * epochs.fraction(epoch); }
  double y(double value) const { return top + height * (1 - values.fraction(value)); }

  static std::string line(double x1, double y1, double x2, double y2, std::string_view style) {
    return "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) +
           "\" " + std::string(style) + "/>\n";
  }
  static std::string text(double x, double y, std::string_view style, std::string_view content) {
    return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" " + std::string(style) + ">" + std::string(content) +
           "</text>\n";
  }

  std::string axes() const {
    constexpr std::string_view grid = "stroke=\"#e5e7eb\"", dark = "stroke=\"#6b7280\"";
    std::string svg;
    for (double tick : values.ticks())
      svg += line(left, y(tick), left + width, y(tick), grid) +
             text(left - 8, y(tick) + 4, "text-anchor=\"end\"", values.label(tick));
    const double bottom = top + height;
    for (double tick : epochs.ticks())
      svg += line(x(tick), bottom, x(tick), bottom + 5, dark) +
             text(x(tick), bottom + 19, "text-anchor=\"middle\"", epochs.label(tick));
    svg += line(left, bottom, left + width, bottom, dark) + line(left, top, left, bottom, dark);
    return svg + text(left + width / 2, bottom + 40, "text-anchor=\"middle\"", "epoch");
  }

  /// The line, with a gap where a value is no finite number, and a dot at each value while dots do not touch.
  std::string curve(const std::vector<double>& series) const {
    std::string path, dots;
    bool pen_down = false;
    for (std::size_t i = 0; i < series.size(); ++i) {
      const bool finite = std::isfinite(series[i]);
      if (finite) {
        const std::string at_x = number(x(double(i + 1)), 2), at_y = number(y(series[i]), 2);
        path += (pen_down ? " L" : " M") + at_x + " " + at_y;
        const bool alone = !pen_down && (i + 1 == series.size() || !std::isfinite(series[i + 1]));
        if (series.size() <= 40 || alone) dots += "<circle cx=\"" + at_x + "\" cy=\"" + at_y + "\" r=\"2.5\"/>\n";
      }
      pen_down = finite;
    }
    const std::string colour_is = std::string(colour) + "\"";
    if (path.empty()) return "";
    return "<path d=\"" + path.substr(1) + "\" fill=\"none\" stroke-width=\"2\" stroke-linejoin=\"round\" stroke=\"" +
           colour_is + "/>\n<g fill=\"" + colour_is + ">\n" + dots + "</g>\n";
  }

  std::string legend(const std::vector<double>& series) const {
    const std::string style = "stroke-width=\"3\" stroke=\"" + std::string(colour) + "\"";
    std::string content(name);
    if (!series.empty() && std::isfinite(series.back()))
      content += "<tspan fill=\"#6b7280\">; last " + number(series.back(), 4) + "</tspan>";
    return line(left, top - 22, left + 22, top - 22, style) + text(left + 30, top - 18, "font-size=\"14\"", content);
  }

  std::string svg(const std::vector<double>& series) const { return axes() + curve(series) + legend(series); }
};

/// curve.svg: training loss at the left, test accuracy (0 to 1) at the right, one value per epoch each.
inline std::string curve_svg(const std::vector<double>& loss, const std::vector<double>& accuracy) {
  const auto extreme = [](const std::vector<double>& series, double start, auto better) {
    for (double value : series)
      if (std::isfinite(value) && better(value, start)) start = value;
    return start;
  };
  const double most_loss = extreme(loss, 0.01, [](double a, double b) { return a > b; });
  const double least_accuracy = extreme(accuracy, 0.99, [](double a, double b) { return a < b; });
  const auto epochs = [](const std::vector<double>& series) {
    const double count = double((std::max)(series.size(), std::size_t{1}));
    scale s = scale::over(0, count, 8);
    s.step = (std::max)(s.step, 1.);
    return s;
  };
  const scale losses = scale::around(0, most_loss, 6), accuracies = scale::around(least_accuracy, 1, 6);
  const panel left{64, 56, 356, 244, epochs(loss), losses, "training loss", "#2563eb"};
  const panel right{504, 56, 356, 244, epochs(accuracy), accuracies, "test accuracy", "#c2410c"};
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"888\" height=\"356\" viewBox=\"0 0 888 356\" "
         "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\" fill=\"#111827\">\n"
         "<title>Training loss and test accuracy over the epochs</title>\n"
         "<rect width=\"888\" height=\"356\" fill=\"#ffffff\"/>\n" +
         left.svg(loss) + right.svg(accuracy) + "</svg>\n";
}

}  // namespace digits
