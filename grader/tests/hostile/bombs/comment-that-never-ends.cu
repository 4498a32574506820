// expect: 1 builds
// says: comment unclosed at end of file
/* The solution that follows is part of this comment.
