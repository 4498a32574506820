// expect: 0
// Conditions within conditions: a right submission.
@TIMES 5000@ %:if 1
@TIMES 5000@ %:endif
