-- Threads get a number each, count for themselves, and are asked at the end what they counted.

local threads = {}

function setup(thread)
  threads[#threads + 1] = thread
  thread:set("number", #threads)
end

function init()
  asked, answered = 0, 0
  print(("thread %d created"):format(number))
end

function request()
  asked = asked + 1
  return wrk.request()
end

function response()
  answered = answered + 1
end

function done()
  for _, thread in ipairs(threads) do
    print(("thread %d made %d requests and got %d responses"):format(
      thread:get("number"), thread:get("asked"), thread:get("answered")))
  end
end
