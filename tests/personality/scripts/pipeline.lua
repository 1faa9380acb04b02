-- Three requests leave at once, before the first of their answers.

local batch

function init()
  local texts = {}
  for position, query in ipairs { "foo", "bar", "baz" } do
    texts[position] = wrk.format(nil, "/?" .. query)
  end
  batch = table.concat(texts)
end

function request()
  return batch
end
