#pragma once

// Put before a function with a hot loop: compiles it for several generations of x86-64 processors; the loader
// picks the best for the machine. Off under sanitizers, whose runtime is not loaded when the loader asks. For
// a clone of another architecture, g++ inlines only always_inline functions of the standard library. So the
// loops use no std::array, std::min or std::popcount.
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
