-- No request is like the one before it: path and header count, in each thread by itself.

local sent = 0

function request()
  wrk.headers["X-Counter"] = sent
  local text = wrk.format(nil, "/" .. sent)
  sent = sent + 1
  return text
end
