-- Each thread loads one of the host's addresses, picked at random among those that take connections.

local usable

local function find()
  local found = {}
  for _, address in ipairs(wrk.lookup(wrk.host, wrk.port or "http")) do
    if wrk.connect(address) then found[#found + 1] = address end
  end
  return found
end

function setup(thread)
  usable = usable or find()
  thread.addr = usable[math.random(1, #usable)]
end

function init()
  print("thread addr: " .. tostring(wrk.thread.addr))
end
