// expect: 0
// Bytes that no encoding has, a NUL, ends of scripts and of CDATA.
#include <stdio.h>
#define compute_scalar() (printf("\xff\xfe\xc0\x80\xed\xa0\x80 %c \x1b]0;title\x07 ]]> </script> \xe2\x80\xae\r\b\b", 0), compute_scalar())
