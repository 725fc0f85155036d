-- Creates at a pace: as create.lua, but A_SECOND of them, however long each takes, as long as there are connections
-- that are free. For one thread (wrk -t 1). Each request has its time; one that is late does not move those after it,
-- but what is more than kBehindMaxMs late is left out.
local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
dofile(here .. "create.lua")

local ffi = require("ffi")
ffi.cdef [[
  typedef struct { long seconds; long nanoseconds; } pixledger_time;
  int clock_gettime(int clock, pixledger_time *now);
]]
local kMonotonic = 1
local kBehindMaxMs = 100

local time = ffi.new("pixledger_time")
local function now_ms()
  ffi.C.clock_gettime(kMonotonic, time)
  return tonumber(time.seconds) * 1000 + tonumber(time.nanoseconds) / 1e6
end

local every_ms = 1000 / tonumber(os.getenv("A_SECOND"))
local next_ms = 0

function delay()
  local now = now_ms()
  next_ms = math.max(next_ms, now - kBehindMaxMs) + every_ms
  return math.max(0, math.floor(next_ms - now + 0.5))
end
