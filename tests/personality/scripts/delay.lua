-- Each request waits for 10 to 50 ms first.

function delay()
  return math.random(10, 50)
end
