// liburing maps its rings with system calls that ThreadSanitizer does not see: when the ring of one
// thread has ended and another's begins, it takes the two for one that both write.
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() { return "race:/usr/include/liburing"; }
