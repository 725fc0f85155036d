#pragma once

// What recorder.c writes and recording.cpp reads: a file that all recorded processes map.

#include <pthread.h>
#include <stdint.h>

// The kinds of records. Paths are canonical; a rename has two, divided by a zero byte.
enum {
  kRecordFile = 1,         // a file was created: path, inode
  kRecordDirectory = 2,    // a directory was created: path, inode
  kRecordRename = 3,       // two paths
  kRecordLink = 4,         // two paths
  kRecordRemove = 5,       // a file or directory was removed: path
  kRecordWrite = 6,        // inode, offset, data
  kRecordSyncedWrite = 7,  // the same, through a descriptor with O_SYNC or O_DSYNC
  kRecordZeros = 8,        // inode, offset, length: a range reads as zeros from now on
  kRecordTruncate = 9,     // inode, length: the new size
  kRecordExtend = 10,      // inode, length: the new size if it was smaller
  kRecordSync = 11,        // inode, since: all records of it before that moment are durable from now on
  kRecordTold = 12,        // data: what a process is about to send through a socket
  kRecordMark = 13,        // data: a remark of the test
  kRecordUnseen = 14,      // data: what a process did that cannot be recorded; it has ended
};

// Which calls pretend success without doing or recording anything: faults that the images must show.
enum { kIgnoreFileSyncs = 1, kIgnoreDirectorySyncs = 2 };

struct RecordingHead {
  pthread_mutex_t mutex;  // shared by processes, robust
  uint64_t end;           // of the records; they begin at kRecordsAt
  uint64_t bytes_max;
  uint32_t ignored;
};
enum { kRecordsAt = 4096 };

struct RecordHead {
  uint32_t kind;
  uint32_t path_bytes;  // follow the head
  uint64_t data_bytes;  // follow the path; then zeros up to a multiple of 8
  uint64_t inode;
  uint64_t offset;  // or `since`, the end of the records when the sync began
  uint64_t length;
};
