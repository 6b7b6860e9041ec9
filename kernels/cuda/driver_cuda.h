// SPDX-License-Identifier: Apache-2.0
#include <cuda.h>

// What the driver answered to its initialisation, -1 if there is no driver.
int spmv_driver(void);
