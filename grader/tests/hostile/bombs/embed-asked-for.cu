// expect: 0
#if defined(__has_embed)
#error asked
#endif
