// expect: 0
#pragma nv_diag_suppress 20012
#pragma nv_abi preserve_n_data(100)
#pragma comment(lib, "hostile")
#pragma once
#pragma STDC FENV_ACCESS ON
_Pragma("nv_diag_error 177")
