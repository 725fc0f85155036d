#pragma once

// Before a function with a hot loop: compiles it for several generations of x86-64 processors, and the
// loader takes the best that the machine has. Not under sanitizers, whose runtime is not there yet when the
// loader asks. g++ inlines nothing of the standard library's into the clone that it makes for an
// architecture, unless that is always inlined: the loops name no std::array, std::min or std::popcount.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define PIXLEDGER_SANITIZED
#endif
#elif defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define PIXLEDGER_SANITIZED
#endif

#if !defined(__x86_64__) || !defined(__linux__) || defined(PIXLEDGER_SANITIZED)
#define PIXLEDGER_VECTOR_CLONES
#elif defined(__clang__)
#define PIXLEDGER_VECTOR_CLONES __attribute__((target_clones("avx512bw", "avx2", "default")))
#else
#define PIXLEDGER_VECTOR_CLONES __attribute__((target_clones("arch=icelake-server", "avx2", "default")))
#endif
