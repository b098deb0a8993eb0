/**
 * The whole decision in one script, which Redis runs as one atomic command. A counter is a hash
 * `v` (count), `e` (end of its window in milliseconds) and `o` (epoch of its seed); the key expires
 * some time after that end, which only tidies up: whether a count is current is decided by `e` alone.
 *
 * KEYS: one per step. ARGV: `add`, `read` or `seed`; the offset of the test clock; then seven per
 * step: window unit or `fixed`, length of a fixed window, amount or value, limit (of a seed: the end of
 * its window) or ``, keepRefused, seeded, epoch or ``. Lua's numbers are exact up to 2^53, its default formatting is not, hence
 * `%.0f`.
 */
export const COUNTERS_SCRIPT = `
local UNIT_MS = { minute = 60000, hour = 3600000, day = 86400000 }
local SET_BACK_MS = 5000
local MARGIN_MS = 60000
local floor = math.floor

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + floor(tonumber(time[2]) / 1000) + tonumber(ARGV[2])

-- Years that begin in March put the leap day last, so months have fixed offsets within a year.
local function month_end(at)
  local days = floor(at / 86400000) + 719468
  local era = floor(days / 146097)
  local day = days - era * 146097
  local year = floor((day - floor(day / 1460) + floor(day / 36524) - floor(day / 146096)) / 365)
  local year_day = day - (365 * year + floor(year / 4) - floor(year / 100))
  local month = floor((5 * year_day + 2) / 153) + 1
  year = year + era * 400
  if month == 12 then
    month = 0
    year = year + 1
  end
  local first = 365 * year + floor(year / 4) - floor(year / 100) + floor(year / 400)
  return (first + floor((153 * month + 2) / 5) - 719468) * 86400000
end

local function end_of(unit, length, at)
  if unit == 'fixed' then return at + length end
  if unit == 'month' then return month_end(at) end
  return at - at % UNIT_MS[unit] + UNIT_MS[unit]
end

local function is_current(unit, length, ends)
  if ends <= now then return false end
  if unit == 'fixed' then return ends <= now + length + SET_BACK_MS end
  return ends == end_of(unit, length, now) or ends == end_of(unit, length, now + SET_BACK_MS)
end

local places = {}
local function place_of(key, unit, length)
  local place = places[key]
  if place then return place end
  local stored = redis.call('HMGET', key, 'v', 'e', 'o')
  local ends = tonumber(stored[2] or 0)
  if is_current(unit, length, ends) then
    local count = tonumber(stored[1])
    local epoch = tonumber(stored[3] or 0)
    place = { before = count, count = count, ends = ends, epoch = epoch, isNew = false }
  else
    place = { before = 0, count = 0, ends = end_of(unit, length, now), epoch = 0, isNew = true }
  end
  places[key] = place
  return place
end

local function save(key, place)
  redis.call('HSET', key, 'v', string.format('%.0f', place.count),
    'e', string.format('%.0f', place.ends), 'o', string.format('%.0f', place.epoch))
  if place.isNew then
    redis.call('PEXPIRE', key, string.format('%.0f', place.ends - now + MARGIN_MS))
  end
end

local steps = {}
for i, key in ipairs(KEYS) do
  local at = 2 + (i - 1) * 7
  steps[i] = {
    key = key, unit = ARGV[at + 1], length = tonumber(ARGV[at + 2]), amount = tonumber(ARGV[at + 3]),
    limit = tonumber(ARGV[at + 4]), keeps = ARGV[at + 5] == '1', seeded = ARGV[at + 6] == '1',
    epoch = tonumber(ARGV[at + 7]),
  }
end

if ARGV[1] == 'read' then
  local place = place_of(KEYS[1], steps[1].unit, steps[1].length)
  return { now, place.isNew and 1 or 0, place.count }
end

if ARGV[1] == 'seed' then
  for _, step in ipairs(steps) do
    local place = place_of(step.key, step.unit, step.length)
    local isMeant = step.limit == nil or step.limit == place.ends
    if isMeant and (place.isNew or place.epoch < step.epoch) then
      place.count = step.amount
      place.epoch = step.epoch
      save(step.key, place)
    end
  end
  return { now }
end

local function plus(place, step)
  if step.epoch and step.epoch ~= place.epoch then return place.count end
  return math.max(0, place.count + step.amount)
end

local tried = 0
local refused = false
for i, step in ipairs(steps) do
  local place = place_of(step.key, step.unit, step.length)
  if step.seeded and place.isNew then return { now, i } end
  tried = i
  place.count = plus(place, step)
  refused = step.limit ~= nil and place.count > step.limit
  if refused then break end
end

if refused then
  for _, place in pairs(places) do place.count = place.before end
end
local written = {}
for i = 1, tried do
  local step = steps[i]
  local place = places[step.key]
  if refused and step.keeps then place.count = plus(place, step) end
  if step.keeps or not refused then written[step.key] = place end
end
for key, place in pairs(written) do save(key, place) end

local answer = { now, 0, refused and 1 or 0 }
for i = 1, tried do
  local place = places[steps[i].key]
  answer[#answer + 1] = place.count
  answer[#answer + 1] = place.ends
  answer[#answer + 1] = place.epoch
end
return answer
`
