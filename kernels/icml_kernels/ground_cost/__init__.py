"""Ground costs c(x, y) of two points of R^d, by code, so that compiled loops can switch on them.

    SQEUCLIDEAN  sum_k (x_k - y_k)^2          EUCLIDEAN  sqrt of it
    L1           sum_k |x_k - y_k|            MINKOWSKI  (sum_k |x_k - y_k|^p)^(1/p)
"""

SQEUCLIDEAN = 0
EUCLIDEAN = 1
L1 = 2
MINKOWSKI = 3
