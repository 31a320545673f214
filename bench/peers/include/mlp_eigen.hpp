// Hand-written MLP training step on Eigen matrices: what a perfect autograd on the Eigen backend would emit.
#pragma once
#include <Eigen/Dense>
#include <vector>

namespace bench {
using Mat = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Row = Eigen::Matrix<float, 1, Eigen::Dynamic>;

struct MlpEigen {
  std::vector<Mat> W;  // in x out
  std::vector<Row> b;
  std::vector<Mat> h, g;  // activations (h[0] = input) and their gradients
  std::vector<Mat> dW;    // empty unless gradients are stored before they are applied
  std::vector<Row> db;
  std::vector<int> label;
  float lr = 1e-3f;

  MlpEigen(std::vector<int> dims, int batch, bool store_gradients = false) : label(batch) {
    for (size_t i = 0; i + 1 < dims.size(); ++i) {
      W.push_back(Mat::Random(dims[i], dims[i + 1]) / std::sqrt(float(dims[i])));
      b.push_back(Row::Zero(dims[i + 1]));
    }
    for (int d : dims) {
      h.push_back(Mat::Random(batch, d));
      g.push_back(Mat::Zero(batch, d));
    }
    if (store_gradients) dW = W, db = b;
    for (int i = 0; i < batch; ++i) label[i] = i % dims.back();
  }

  float step() {
    const size_t L = W.size();
    const Eigen::Index B = h[0].rows();
    const float scale = 1.f / float(B);
    for (size_t l = 0; l < L; ++l) {
      h[l + 1].noalias() = h[l] * W[l];
      if (l + 1 < L) h[l + 1] = (h[l + 1].rowwise() + b[l]).cwiseMax(0.f);
      else h[l + 1].rowwise() += b[l];
    }
    float loss = 0;
    Mat& z = h[L];
    for (Eigen::Index i = 0; i < B; ++i) {
      float m = z.row(i).maxCoeff();
      float zy = z(i, label[i]);
      g[L].row(i) = (z.row(i).array() - m).exp();
      float s = g[L].row(i).sum();
      loss += m + std::log(s) - zy;
      g[L].row(i) *= scale / s;
      g[L](i, label[i]) -= scale;
    }
    for (size_t l = L; l-- > 0;) {
      if (l > 0) {
        g[l].noalias() = g[l + 1] * W[l].transpose();
        g[l] = (h[l].array() > 0.f).select(g[l], 0.f);
      }
      if (dW.empty()) {
        W[l].noalias() -= lr * (h[l].transpose() * g[l + 1]);
        b[l] -= lr * g[l + 1].colwise().sum();
      } else {
        dW[l].noalias() = h[l].transpose() * g[l + 1];
        db[l] = g[l + 1].colwise().sum();
      }
    }
    for (size_t l = 0; l < dW.size(); ++l) {
      W[l] -= lr * dW[l];
      b[l] -= lr * db[l];
    }
    return loss * scale;
  }
};
}  // namespace bench
