-- The global `wrk` as scripts know it, and what the engine calls of a script.
--
-- The chunk is given what the engine offers, and returns a table of calls. Each gives true and its
-- result, or false and what was raised: nothing that is raised in here ever reaches Rust frames.

local offered = ...

-- Where Debian keeps modules, and so where its wrk finds them.
local triplets = { x64 = "x86_64-linux-gnu", arm64 = "aarch64-linux-gnu" }
package.path = package.path .. ";/usr/share/lua/5.1/?.lua;/usr/share/lua/5.1/?/init.lua"
package.cpath = package.cpath .. (";/usr/lib/%s/lua/5.1/?.so"):format(triplets[jit.arch] or jit.arch)

-- Objects without a word in them: what each stands for is kept beside them, where no script reaches.
local addresses = setmetatable({}, { __mode = "k" })
local threads = setmetatable({}, { __mode = "k" })
local statistics = setmetatable({}, { __mode = "k" })

local Address, Thread, Statistics = newproxy(true), newproxy(true), newproxy(true)

local function object(class, kept, stands_for)
  local made = newproxy(class)
  kept[made] = stands_for
  return made
end

local function type_of(value)
  return value == nil and "no value" or type(value)
end

-- What `value` stands for, or an error at whoever called the function that expects it.
local function expect(kept, value, class, position)
  local found = value ~= nil and kept[value]
  if not found then
    error(("bad argument #%d to '?' (%s expected, got %s)"):format(position, class, type_of(value)), 3)
  end
  return found
end

-- An address is kept as text: 127.0.0.1:80, [::1]:80.
getmetatable(Address).__tostring = function(self)
  return (expect(addresses, self, "wrk.addr", 1):gsub("[%[%]]", ""))
end

local methods = {}

function methods.get(self, name)
  local transferred, value = expect(threads, self, "wrk.thread", 1).get(name)
  if not transferred then error(value, 0) end
  return value
end

function methods.set(self, name, value)
  local refused = expect(threads, self, "wrk.thread", 1).set(name, value)
  if refused then error(refused, 2) end
end

function methods.stop(self)
  expect(threads, self, "wrk.thread", 1).stop()
end

getmetatable(Thread).__index = function(self, key)
  local thread = expect(threads, self, "wrk.thread", 1)
  if key ~= "addr" then return methods[key] or key end
  local address = thread.address()
  return address and object(Address, addresses, address)
end

getmetatable(Thread).__newindex = function(self, key, value)
  local thread = expect(threads, self, "wrk.thread", 1)
  if key ~= "addr" then error(("cannot set '%s' on thread"):format(type(value)), 2) end
  thread.set_address(expect(addresses, value, "wrk.addr", 3))
end

local function percentile(self, percent)
  local numbers = expect(statistics, self, "wrk.stats", 1)
  local number = tonumber(percent)
  if not number then
    error(("bad argument #2 to '?' (number expected, got %s)"):format(type_of(percent)), 2)
  end
  return numbers.percentile(number)
end

getmetatable(Statistics).__index = function(self, key)
  if key == "percentile" then return percentile end
  local numbers = expect(statistics, self, "wrk.stats", 1)
  if numbers.is_indexed and type(key) == "number" then return (numbers.at(key)) end
  return numbers.figures[key] or key
end

getmetatable(Statistics).__len = function(self)
  return expect(statistics, self, "wrk.stats", 1).distinct
end

-- The index-th smallest value and how often it was; 0 and the number of values where there is none.
getmetatable(Statistics).__call = function(self, index)
  return expect(statistics, self, "wrk.stats", 1).at(tonumber(index) or 0)
end

local wrk = {
  scheme = offered.scheme,
  host = offered.host,
  port = offered.port,
  method = "GET",
  path = offered.path,
  headers = offered.headers,
  time_us = offered.time_us,
}
_G.wrk = wrk
package.loaded.wrk = wrk

function wrk.lookup(host, service)
  local found, problem = offered.lookup(host, service)
  if not found then error(problem, 0) end
  for position, text in ipairs(found) do
    found[position] = object(Address, addresses, text)
  end
  return found
end

function wrk.connect(address)
  return offered.connect(expect(addresses, address, "wrk.addr", 1))
end

function wrk.resolve(host, service)
  local usable = {}
  for _, address in ipairs(wrk.lookup(host, service)) do
    if wrk.connect(address) then usable[#usable + 1] = address end
  end
  wrk.addrs = usable
end

function wrk.setup(thread)
  thread.addr = wrk.addrs[1]
  if type(setup) == "function" then setup(thread) end
end

local function host_header()
  local host = wrk.host:find(":", 1, true) and "[" .. wrk.host .. "]" or wrk.host
  return wrk.port and host .. ":" .. wrk.port or host
end

function wrk.init(args)
  wrk.headers.Host = wrk.headers.Host or host_header()
  if type(init) == "function" then init(args) end
  local request = wrk.format()
  wrk.request = function() return request end
end

local written = require("string.buffer").new()

function wrk.format(method, path, headers, body)
  headers, body = headers or wrk.headers, body or wrk.body
  headers.Host = headers.Host or wrk.headers.Host
  headers["Content-Length"] = body and string.len(body)
  written:reset():putf("%s %s HTTP/1.1\r\n", method or wrk.method, path or wrk.path)
  for name, value in pairs(headers) do
    written:putf("%s: %s\r\n", name, value)
  end
  return written:put("\r\n", body or ""):tostring()
end

local calls = {}

function calls.resolve(host, service)
  wrk.resolve(host, service)
  return #wrk.addrs
end

function calls.adopt(thread)
  wrk.thread = object(Thread, threads, thread)
end

function calls.set_up(thread)
  wrk.setup(object(Thread, threads, thread))
end

function calls.init(args)
  wrk.init(args)
end

function calls.has(hook)
  return type(_G[hook]) == "function"
end

-- A script may replace its hooks at any time, so each call looks them up; compiled, that is free.
function calls.request()
  local hook = request
  if type(hook) ~= "function" then hook = wrk.request end
  return (hook())
end

function calls.delay()
  return tonumber((delay()))
end

function calls.response(status, headers, body)
  response(status, headers, body)
end

function calls.done(summary, latency, requests)
  done(summary, object(Statistics, statistics, latency), object(Statistics, statistics, requests))
end

-- What scripts print waits in a buffer of the C library, unknown to Rust's.
local out = io.stdout
function calls.flush()
  out:flush()
end

local loadfile = loadfile
function calls.run(file)
  local chunk, problem = loadfile(file)
  if not chunk then error(problem, 0) end
  chunk()
end

local pcall, guarded = pcall, {}
for name, call in pairs(calls) do
  guarded[name] = function(...) return pcall(call, ...) end
end
return guarded
