-- Scripts for test_wrk_scripts.py, one after another. A line `--- NAME` begins one; `+twenty` after
-- the name adds twenty answers and then stop(); more words are wrk's. `!`: how many requests there
-- are is a matter of speed. `!!`: so is whether "Running" is printed before the end.

--- method +twenty
wrk.method = 'PUT'

--- path +twenty
wrk.path = '/p?x=1'

--- body +twenty
wrk.method = 'POST'
wrk.body = 'a=1&b=2'

--- an empty body +twenty
wrk.body = ''

--- a number as body +twenty
wrk.body = 5

--- headers +twenty
wrk.headers['Content-Type'] = 'a/b'
wrk.headers.A = '1'

--- a number as header +twenty
wrk.headers['X'] = 5

--- Host +twenty
wrk.headers['Host'] = 'mine'

--- Host in small letters +twenty
wrk.headers['host'] = 'mine'

--- Content-Length +twenty
wrk.headers['Content-Length'] = '7'
wrk.body = 'abc'

--- a header of the command line's name +twenty -H X-A:\ flag
wrk.headers['X-A'] = 'script'

--- every byte in a body +twenty
wrk.method = 'POST'
wrk.body = '\0\1\255\r\n'

--- wrk.request is not request +twenty
function wrk.request() return wrk.format('GET', '/w') end

--- format()
local asked = 0
function request()
  asked = asked + 1
  if asked == 20 then wrk.thread:stop() end
  return wrk.format()
end

--- format(method)
local asked = 0
function request()
  asked = asked + 1
  if asked == 20 then wrk.thread:stop() end
  return wrk.format('POST')
end

--- format(nil, path)
local asked = 0
function request()
  asked = asked + 1
  if asked == 20 then wrk.thread:stop() end
  return wrk.format(nil, '/n' .. asked)
end

--- format(method, path, headers, body)
local asked = 0
function request()
  asked = asked + 1
  if asked == 20 then wrk.thread:stop() end
  return wrk.format('POST', '/p', {['X-N'] = asked}, 'b' .. asked)
end

--- format with no headers
local asked = 0
function request()
  asked = asked + 1
  if asked == 20 then wrk.thread:stop() end
  return wrk.format(nil, nil, {}, nil)
end

--- format with a Host
local asked = 0
function request()
  asked = asked + 1
  if asked == 20 then wrk.thread:stop() end
  return wrk.format(nil, nil, {['Host'] = 'other', ['X'] = 1})
end

--- format with a body alone, and headers that come and go
local asked = 0
function request()
  asked = asked + 1
  if asked == 20 then wrk.thread:stop() end
  wrk.headers['X-Odd'] = asked % 2 == 1 and 'yes' or nil
  return wrk.format(nil, nil, nil, asked % 2 == 1 and 'body' or nil)
end

--- a path with a space
local asked = 0
function request()
  asked = asked + 1
  if asked == 20 then wrk.thread:stop() end
  return wrk.format('M', '/a b')
end

--- a request by hand
local asked = 0
function request()
  asked = asked + 1
  if asked == 20 then wrk.thread:stop() end
  return 'GET /hand HTTP/1.1\r\nHost: x\r\n\r\n'
end

--- three requests at once
local answers = 0
function response()
  answers = answers + 1
  if answers == 21 then wrk.thread:stop() end
end
function init()
  three = wrk.format(nil, '/a') .. wrk.format(nil, '/b') .. wrk.format(nil, '/c')
end
function request() return three end

--- stopped by request()
function request()
  wrk.thread:stop()
  return wrk.format()
end

--- arguments, none +twenty
function init(args) for i = 0, #args do print(i, args[i]) end end

--- arguments +twenty -- --x 'y z' 1
function init(args) for i = 0, #args do print(i, args[i]) end end

--- arguments, and options that are none +twenty a -c b
function init(args) for i = 0, #args do print(i, args[i]) end end

--- what init finds +twenty
function init()
  print(wrk.scheme, wrk.host, type(wrk.port), wrk.path, wrk.method, wrk.body)
  print(type(wrk.thread), wrk.nothing)
end

--- the names in wrk +twenty
function init()
  local names = {}
  for name in pairs(wrk) do names[#names + 1] = name end
  table.sort(names)
  print(table.concat(names, ' '))
end

--- the globals +twenty
local names = {}
for name in pairs(_G) do names[#names + 1] = name end
table.sort(names)
print(table.concat(names, ' '))
print(_VERSION, type(jit))

--- what response is given
local kept
function setup(thread) kept = thread end
function response(status, headers, body)
  local lines = {}
  for name, value in pairs(headers) do lines[#lines + 1] = name .. '=' .. value end
  table.sort(lines)
  said = status .. ' ' .. table.concat(lines, ' ') .. ' ' .. #body .. ' ' .. body
  wrk.thread:stop()
end
function done() print(kept:get('said')) end

--- a big body
local kept
function setup(thread) kept = thread end
function response(status, headers, body)
  said = #body
  wrk.thread:stop()
end
function done() print(kept:get('said')) end

--- a chunked body
local kept
function setup(thread) kept = thread end
function response(status, headers, body)
  said = body
  wrk.thread:stop()
end
function done() print(kept:get('said')) end

--- setup and what it sets +twenty -t2 -c2
local n = 0
function setup(thread)
  n = n + 1
  thread:set('id', n)
  thread:set('yes', true)
  thread:set('half', 0.5)
  thread:set('none', nil)
  print(thread:get('id'), thread:get('nothing'), type(thread), type(thread.addr), thread.other)
end
function init() print(id, yes, half, none) end

--- what threads kept +twenty -t2 -c2
local threads = {}
function setup(thread)
  threads[#threads + 1] = thread
  thread:set('id', #threads)
end
function init() kept = 'of ' .. id end
function done()
  for _, thread in ipairs(threads) do print(thread:get('kept'), thread:get('id')) end
end

--- addr +twenty
function setup(thread)
  thread.addr = wrk.lookup(wrk.host, wrk.port)[1]
  print(wrk.connect(thread.addr))
end

--- lookup and connect +twenty
print(wrk.lookup('127.0.0.1', '80')[1], wrk.lookup('::1', 'http')[1])
print(wrk.connect(wrk.lookup('127.0.0.1', '1')[1]))

--- a function can't be got +twenty
local kept
function setup(thread) kept = thread end
function init() f = print end
function done() print(pcall(function() return kept:get('f') end)) end

--- the names in a thread +twenty
function setup(thread)
  local names = {}
  for name in pairs(getmetatable(thread)) do names[#names + 1] = name end
  table.sort(names)
  print(table.concat(names, ' '))
end

--- delay
local delays = 0
function delay()
  delays = delays + 1
  if delays == 5 then wrk.thread:stop() end
  return 20
end
function done(summary) print(summary.requests, summary.duration >= 1000000) end

--- init and done of two threads +twenty -t2 -c2
function init() print('init') end
function done() print('done') end

--- os.exit
os.exit(3)

--- os.exit in done +twenty
function done() os.exit(4) end

--- statistics +twenty
function done(summary, latency, requests)
  local names = {}
  for name in pairs(summary) do names[#names + 1] = name end
  table.sort(names)
  print(table.concat(names, ' '))
  print(summary.requests, summary.bytes, summary.duration >= 1000000)
  local errors = summary.errors
  print(errors.connect, errors.read, errors.write, errors.status, errors.timeout)
  print(type(latency), latency.other, latency.min <= latency.max, latency.stdev >= 0)
  print(latency:percentile(0) == latency.min, latency:percentile(100))
  print(latency:percentile(50) <= latency.max, latency:percentile(99.9) == latency.max)
  print(latency(1) == latency.min, latency(#latency) == latency.max)
  local sum, n = 0, 0
  for i = 1, #latency do
    local value, count = latency(i)
    sum, n = sum + value * count, n + count
  end
  print(n, math.abs(sum / n - latency.mean) < 0.001)
  print((latency(0)), (latency(#latency + 1)), select(2, latency(0)) == #latency)
end

--- statistics of nothing
function done(summary, latency, requests)
  for _, each in ipairs({latency, requests}) do
    print(each.min, each.max, each.mean, each.stdev, each:percentile(50), #each, each(0))
    print(each(1))
  end
end

--- ! syntax
function (

--- ! an error in the file
error('at load')

--- ! a call of nil
foo()

--- ! an error in setup
function setup(thread) error('in setup') end

--- ! an error in init
function init(args) error('in init') end

--- ! an error in request
function request() error('in request') end

--- !! an error in the second request
local asked = 0
function request()
  asked = asked + 1
  if asked == 2 then error('in the second request') end
  return wrk.format()
end

--- !! an error in response
function response() error('in response') end

--- !! an error in delay
function delay() error('in delay') end

--- ! an error in done +twenty
function done() error('in done') end

--- ! a table as error
function init() error({}) end

--- ! nil as error
function init() error() end

--- ! a number as error
function init() error(5, 0) end

--- ! assert
function init() assert(false) end

--- ! assert with a message
function init() assert(nil, 'so it is') end

--- ! request gives nil
function request() return nil end

--- ! request gives nothing
function request() end

--- ! request gives a number
function request() return 5 end

--- ! request gives a table
function request() return {} end

--- ! request gives an empty string
function request() return '' end

--- ! request gives no HTTP
function request() return 'nonsense' end

--- ! request gives half a request
function request() return 'GET / HTTP/1.1\r\n' end

--- ! request gives one and a half
function request() return wrk.format() .. 'GET /' end

--- ! format of a table
function request() return wrk.format({}) end

--- ! delay gives a string
function delay() return 'x' end

--- ! the path is nil
wrk.path = nil

--- ! wrk is nil
wrk = nil

--- ! headers are nil
wrk.headers = nil

--- ! wrk.init is another +twenty
function wrk.init() print('mine') end

--- ! setting a function
function setup(thread) thread:set('f', print) end

--- ! setting a thread
function setup(thread) thread:set('t', thread) end

--- ! setting a field
function setup(thread) thread.other = 1 end

--- ! addr is a string
function setup(thread) thread.addr = 'x' end

--- ! addr is nil
function setup(thread) thread.addr = nil end

--- ! no such host
wrk.lookup('nosuch.invalid', '80')

--- ! connect to a string
wrk.connect('x')

--- ! stop of nothing
function setup(thread) thread.stop() end

--- ! setup is no function
setup = 'x'

--- ! init is no function
init = 'x'

--- ! request is no function
request = 'x'

--- ! response is no function
response = 'x'

--- ! delay is no function
delay = 'x'

--- ! done is no function
done = 'x'
