-- Asks each path of a file once and ends when none is left, so that no question is asked twice. What ended
-- early is reported by a clock of its own, because wrk goes on waiting for its time.
local ffi = require('ffi')
ffi.cdef [[
  typedef struct { long seconds; long micros; } moment;
  int gettimeofday(moment *now, void *zone);
]]

local requests = {}
local asked = 0
local thread
startedUs = 0
endedUs = 0
answered = 0

function setup(own)
  thread = own
end

function init(args)
  for path in io.lines(args[1]) do
    requests[#requests + 1] = wrk.format(nil, path)
  end
  connections = tonumber(args[2])
end

local function nowUs()
  local now = ffi.new('moment')
  ffi.C.gettimeofday(now, nil)
  return tonumber(now.seconds) * 1000000 + tonumber(now.micros)
end

-- wrk calls it once before it begins, to look at what comes.
function request()
  asked = asked + 1
  if asked == 2 then
    startedUs = nowUs()
  end
  local next = requests[asked]
  if next then
    return next
  end
  if endedUs == 0 then
    endedUs = nowUs()
    -- All other connections still wait for an answer.
    answered = #requests - connections
    wrk.thread:stop()
  end
  return requests[#requests]
end

function done()
  local ended = tonumber(thread:get('endedUs'))
  if ended > 0 then
    local micros = ended - tonumber(thread:get('startedUs'))
    io.write(string.format('All asked: %d in %dus\n', tonumber(thread:get('answered')), micros))
  end
end
