// What everything is compared with.
#include <Eigen/Core>
