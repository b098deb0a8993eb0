-- Every request asks with another number in the place of the mark, so that no two texts are the same.
local n = 0

function request()
  n = (n + 1) % 400
  return wrk.format(nil, (wrk.path:gsub('%%7Bn%%7D', tostring(100 + n))))
end
