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

-- Raises what C does for a wrong argument, in the name of the function that calls this.
local getinfo = debug.getinfo
local function refuse(position, class, got)
  local called = getinfo(2, "n")
  if called.namewhat == "method" then position = position - 1 end
  local name = called.name or "?"
  error(("bad argument #%d to '%s' (%s expected, got %s)"):format(position, name, class, got), 3)
end

-- An address is kept as text: 127.0.0.1:80, [::1]:80.
getmetatable(Address).__tostring = function(self)
  local address = addresses[self] or refuse(1, "wrk.addr", type_of(self))
  return (address:gsub("[%[%]]", ""))
end

local methods = {}

function methods.get(self, name)
  local thread = threads[self] or refuse(1, "wrk.thread", type_of(self))
  local transferred, value = thread.get(name)
  if not transferred then error(value, 0) end
  return value
end

function methods.set(self, name, value)
  local thread = threads[self] or refuse(1, "wrk.thread", type_of(self))
  local problem = thread.set(name, value)
  if problem then error(problem, 2) end
end

function methods.stop(self)
  local thread = threads[self] or refuse(1, "wrk.thread", type_of(self))
  thread.stop()
end

getmetatable(Thread).__index = function(self, key)
  local thread = threads[self] or refuse(1, "wrk.thread", type_of(self))
  if key ~= "addr" then return methods[key] or key end
  local address = thread.address()
  return address and object(Address, addresses, address)
end

getmetatable(Thread).__newindex = function(self, key, value)
  local thread = threads[self] or refuse(1, "wrk.thread", type_of(self))
  if key ~= "addr" then error(("cannot set '%s' on thread"):format(type(value)), 2) end
  thread.set_address(addresses[value] or refuse(4, "wrk.addr", type(value)))
end

local function percentile(self, percent)
  local kept = statistics[self] or refuse(1, "wrk.stats", type_of(self))
  return kept.percentile(tonumber(percent) or refuse(2, "number", type_of(percent)))
end

getmetatable(Statistics).__index = function(self, key)
  local kept = statistics[self] or refuse(1, "wrk.stats", type_of(self))
  if key == "percentile" then return percentile end
  if kept.is_indexed and type(key) == "number" then return (kept.at(key)) end
  return kept.figures[key] or key
end

getmetatable(Statistics).__len = function(self)
  local kept = statistics[self] or refuse(1, "wrk.stats", type_of(self))
  return kept.distinct
end

-- The index-th smallest value and how often it was; 0 and the number of values where there is none.
getmetatable(Statistics).__call = function(self, index)
  local kept = statistics[self] or refuse(1, "wrk.stats", type_of(self))
  return kept.at(tonumber(index) or 0)
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
-- To be asked for with require, as everywhere but in mlua.
_G.ffi = nil

function wrk.lookup(host, service)
  local found, problem = offered.lookup(host, service)
  if not found then error(problem, 0) end
  for position, text in ipairs(found) do
    found[position] = object(Address, addresses, text)
  end
  return found
end

-- Of several arguments, wrk takes the last.
function wrk.connect(...)
  local count = select("#", ...)
  local last = count > 0 and select(count, ...) or nil
  local got = count > 0 and type(last) or "no value"
  return offered.connect(addresses[last] or refuse(count + 1, "wrk.addr", got))
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

-- What a script has made of the global `wrk` is what counts. Its faults are told as C tells them,
-- without a place.
local function of_wrk(field)
  local global = _G.wrk
  if type(global) ~= "table" then error(("attempt to index a %s value"):format(type(global)), 0) end
  return global[field]
end

local function call(hook, ...)
  if type(hook) ~= "function" then error(("attempt to call a %s value"):format(type(hook)), 0) end
  return hook(...)
end

local calls = {}

function calls.resolve(host, service)
  call(of_wrk("resolve"), host, service)
  local usable = of_wrk("addrs")
  return type(usable) == "table" and #usable or 0
end

function calls.adopt(thread)
  wrk.thread = object(Thread, threads, thread)
end

function calls.set_up(thread)
  call(of_wrk("setup"), object(Thread, threads, thread))
end

function calls.init(args)
  call(of_wrk("init"), args)
end

function calls.has(hook)
  return type(_G[hook]) == "function"
end

-- A script may replace its hooks at any time, so each call looks them up; compiled, that is free.
function calls.request()
  local hook = request
  if type(hook) ~= "function" then hook = of_wrk("request") end
  return (call(hook))
end

function calls.delay()
  return tonumber((call(delay)))
end

function calls.response(status, headers, body)
  call(response, status, headers, body)
end

function calls.done(summary, latency, requests)
  latency, requests = object(Statistics, statistics, latency), object(Statistics, statistics, requests)
  call(done, summary, latency, requests)
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
