// The data: 8x8 images with values 0..16 and labels 0..9, every fifth row held out for test.
#pragma once
#include "net.hpp"

#include <tt/data.hpp>
#include <tt/io/gzip.hpp>

namespace digits {

struct Dataset {
  Images train_images, test_images;  ///< pixels in 0 .. 1
  Labels train_labels, test_labels;
};

inline tt::data::idx_array read_idx(const std::string& path, std::size_t axes) {
  return tt::data::parse_idx(tt::io::read_file_or_gzip(path, std::size_t(1) << 30), path, axes);
}

inline Dataset read_dataset(const std::string& folder) {
  const std::string image_path = folder + "/digits-images-idx3-ubyte.gz";
  const std::string label_path = folder + "/digits-labels-idx1-ubyte.gz";
  auto images = read_idx(image_path, 3), labels = read_idx(label_path, 1);
  const tt::index_t rows = images.extents[0];
  if (images.extents[1] != 8 || images.extents[2] != 8)
    tt::fail(image_path + " holds images of " + std::to_string(images.extents[1]) + "x" +
             std::to_string(images.extents[2]) + " pixels, 8x8 are expected");
  if (labels.extents[0] != rows)
    tt::fail(label_path + " holds " + std::to_string(labels.extents[0]) + " labels for " + std::to_string(rows) +
             " images");
  if (rows < 10) tt::fail(image_path + " holds " + std::to_string(rows) + " images, too few to train and test with");
  for (std::uint8_t pixel : images.bytes)
    if (pixel > 16) tt::fail(image_path + " holds the value " + std::to_string(pixel) + ", 0 to 16 are expected");
  for (std::uint8_t label : labels.bytes)
    if (label > 9) tt::fail(label_path + " holds the label " + std::to_string(label) + ", which is no digit");

  const tt::Tensor<std::uint8_t, tt::Shape<tt::dyn, 8, 8>> pixels(tt::dims{rows, 8, 8}, images.bytes);
  const tt::Tensor<std::uint8_t, tt::Shape<tt::dyn>> classes(tt::dims{rows}, labels.bytes);
  const tt::Tensor x = tt::to<float>(tt::reshape<tt::dyn, 64>(pixels)) / 16;
  const tt::Tensor y = tt::to<std::int64_t>(classes);
  std::vector<std::int64_t> train, test;
  for (tt::index_t row = 0; row < rows; ++row) (row % 5 == 0 ? test : train).push_back(row);
  const auto take = [&](const std::vector<std::int64_t>& row) {
    const tt::Vector<std::int64_t> index(tt::dims{tt::index_t(row.size())}, row);
    return std::pair<Images, Labels>(tt::index_select<0>(x, index), tt::index_select<0>(y, index));
  };
  Dataset d;
  std::tie(d.train_images, d.train_labels) = take(train);
  std::tie(d.test_images, d.test_labels) = take(test);
  return d;
}

}  // namespace digits
