-- 16 requests at a time on each connection, of the length that the null server is told.
local requests = string.rep("GET / HTTP/1.1\r\nHost: null\r\n\r\n", 16)

function request()
  return requests
end
