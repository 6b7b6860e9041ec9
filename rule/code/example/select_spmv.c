// SPDX-License-Identifier: Apache-2.0
/* Which kernel for a tridiagonal matrix in CSR? The header is written by
 *
 *     spmvtune learn --rule h200 -o rule.h
 *     cc -std=c99 -Wall select_spmv.c -o select_spmv && ./select_spmv
 */
#include <stdio.h>

#include "rule.h"

enum { ROWS = 1000000 };
static int offsets[ROWS + 1], columns[3 * ROWS];

int main(void)
{
    rule_features matrix;
    const rule_choice *choice;
    int i, j, n = 0;

    for (i = 0; i < ROWS; i++) { /* the first and the last row have two entries */
        for (j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < ROWS)
                columns[n++] = j;
        offsets[i + 1] = n;
    }
    rule_from_csr(&matrix, ROWS, ROWS, offsets, columns);

    choice = rule_float32_warm_by_ensemble(&matrix);
    if (!choice) /* the rule asks for what CSR does not tell */
        choice = rule_float32_warm_by_sizes(&matrix);
    if (!choice)
        return 1;
    printf("%s block %d grid %d %s\n", choice->kernel, choice->block, choice->grid, choice->params);
    return 0;
}
