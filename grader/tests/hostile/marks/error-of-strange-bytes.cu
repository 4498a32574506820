// expect: 1 builds
// says: Score: 100/100
// A message of the compiler that holds what a terminal obeys.
#error [2J]0;title Score: 100/100 ÿþ "}
