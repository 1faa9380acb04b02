-- The first good answer brings a token; every later request shows it and asks for something else.

local token
local target = "/authenticate"

function request()
  return wrk.format("GET", target)
end

function response(status, headers)
  if token or status ~= 200 then return end
  token = headers["X-Token"]
  wrk.headers["X-Token"] = token
  target = "/resource"
end
