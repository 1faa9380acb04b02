-- Each thread stops with its hundredth answer.

local answered = 0

function response()
  answered = answered + 1
  if answered == 100 then wrk.thread:stop() end
end
