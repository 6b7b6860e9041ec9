/* Which kernel for a tridiagonal matrix in CSR? The header is written by
 *
 *     spmvtune learn --rule h200 -o rule.h
 *     cc -std=c99 -Wall select_spmv.c -o select_spmv && ./select_spmv
 */
#include <stdio.h>

#include "rule.h"

enum { ROWS = 1000000 };
static int offsets[ROWS + 1];

int main(void)
{
    rule_features matrix;
    const rule_choice *choice;
    int i;

    for (i = 0; i < ROWS; i++) /* the first and the last row have two entries */
        offsets[i + 1] = offsets[i] + 3 - (i == 0) - (i == ROWS - 1);
    rule_from_offsets(&matrix, ROWS, ROWS, offsets);

    choice = rule_float32_warm_by_ensemble(&matrix);
    if (!choice) /* the rule asks for what row offsets don't tell */
        choice = rule_float32_warm_by_sizes(&matrix);
    if (!choice)
        return 1;
    printf("%s block %d grid %d %s\n", choice->kernel, choice->block, choice->grid, choice->params);
    return 0;
}
