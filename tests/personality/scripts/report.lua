-- A report of its own: percentiles, as comma-separated values.

function done(_, latency)
  print(("-"):rep(30))
  for _, percent in ipairs { 50, 90, 99, 99.999 } do
    print(("%g%%,%d"):format(percent, latency:percentile(percent)))
  end
end
