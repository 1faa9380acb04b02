# The Rack application: a path, its answer.

require "digest"
require "json"
require "net/http"

# A connection to the upstream per thread, kept.
def upstream
  Thread.current[:upstream] ||= begin
    uri = URI(ENV.fetch("UPSTREAM"))
    http = Net::HTTP.new(uri.host, uri.port)
    http.keep_alive_timeout = 300
    http.start
  end
end

def answer(body, type: "text/plain", status: 200)
  headers = { "Content-Type" => type, "Content-Length" => body.bytesize.to_s }
  [status, headers, [body]]
end

def send_file(name)
  path = File.join(ENV.fetch("STATIC_DIR"), File.basename(name))
  return answer("Not Found", status: 404) unless File.file?(path)

  headers = { "Content-Type" => "text/plain", "Content-Length" => File.size(path).to_s }
  [200, headers, File.open(path, "rb")]
end

def digest(input)
  sha256 = Digest::SHA256.new
  while (piece = input.read(65_536))
    sha256.update(piece)
  end
  sha256.hexdigest
end

app = lambda do |env|
  case [env["REQUEST_METHOD"], env["PATH_INFO"]]
  in ["GET", "/"] then answer("Hello, World!")
  in ["GET", "/empty"] then answer("")
  in ["GET", "/fillbuffer"]
    answer(JSON.generate(result: "Hello world"), type: "application/json")
  in ["POST", "/echo"] then answer(env["rack.input"].read)
  in ["GET", "/delay"]
    sleep 0.005
    answer("Hello, World!")
  in ["POST", "/upload"] then answer(digest(env["rack.input"]))
  in ["GET", "/forward"]
    response = upstream.get("/")
    answer(response.body, type: response["Content-Type"], status: response.code.to_i)
  in ["GET", %r{\A/static/} => path] then send_file(path)
  else answer("Not Found", status: 404)
  end
end

run app
