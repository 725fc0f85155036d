#pragma once

// The file that the interposer (fsync_trace.c) writes and the checker (trace_check.h) reads. Both map it, so
// that it survives a killed process. For C and C++.
#include <stdint.h>

enum TraceKind {
  kTracePageWrite = 1,     // to LMDB's pages
  kTraceMetaWrite = 2,     // to LMDB's meta pages: shows a commit to all readers
  kTraceSync = 3,          // fdatasync or fsync of the journal
  kTraceSend = 4,          // to a socket
  kTraceJournalWrite = 5,  // to a file of the journal
  kTraceIndexSync = 6      // fdatasync or fsync of LMDB's file
};

enum { kTraceIdLength = 25 };

// Instead of an errno for page writes: they end early, as on a disk that has just become full.
enum { kTraceShortWrite = -1 };

// One for each call, and one more for each charge id in its payload.
struct TraceRecord {
  uint64_t begin;  // the global sequence before the call …
  uint64_t end;    // … and after it returned; 0 as long as the record is not complete
  int32_t kind;
  int32_t result;  // 0 when the call did what was asked, else its errno; of a send: the status of the HTTP
                   // reply that begins with it, else 0
  char id[kTraceIdLength + 1];  // empty in the call's own record
  char unused[14];
};

struct TraceHeader {
  uint64_t records_max;
  uint64_t next_record;    // atomic; above records_max: records were lost
  uint64_t next_sequence;  // atomic
  // Set by the test: the errno with which page writes and meta writes of LMDB's file, writes of the journal,
  // and syncs of both fail; 0: they succeed.
  int32_t fail_pages_with;    // atomic
  int32_t fail_metas_with;    // atomic
  int32_t fail_journal_with;  // atomic
  int32_t fail_syncs_with;    // atomic
};
