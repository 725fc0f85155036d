-- Creates at a pace: as create.lua, each connection waiting between its requests so that all of them together make
-- about A_SECOND.  CONNECTIONS says how many there are.
local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
dofile(here .. "create.lua")

local wait_ms = 1000 * tonumber(os.getenv("CONNECTIONS")) / tonumber(os.getenv("A_SECOND"))

function delay()
  return math.floor(wait_ms * 2 * math.random() + 0.5)
end
